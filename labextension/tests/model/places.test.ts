import { describe, expect, it } from 'vitest';

import type { Outline, OutlineNode } from '../../src/api/types';
import { asFilters, type Filter } from '../../src/model/filters';
import { refOf, sectionNamed } from '../../src/model/places';

function node(heading_path: string, start: number, children: OutlineNode[] = []): OutlineNode {
  const line_range = { start, end: start };
  return {
    heading: '',
    level: 1,
    heading_path,
    line_range,
    size: 1,
    content_hash: '',
    own_hash: '',
    children
  };
}

// `# A`, `## B`, `# A > B`, `# C`
const outline = {
  file: 'n.md',
  sections: [node('A', 1, [node('A > B', 3)]), node('A > B', 5), node('C', 7)]
} as unknown as Outline;

describe('sections of which two have one heading path', () => {
  it.each([
    [null, 3],
    [4, 3],
    [5, 5],
    [6, 5]
  ])('are told apart by a line (%s)', (line, start) => {
    expect(sectionNamed(outline, 'A > B', line)?.line_range.start).toBe(start);
  });

  it('are named to the server by their line, others by their path', () => {
    const second = sectionNamed(outline, 'A > B', 5) as OutlineNode;
    expect(refOf(outline, second)).toEqual({ file: 'n.md', line: 5 });
    const other = sectionNamed(outline, 'C') as OutlineNode;
    expect(refOf(outline, other)).toEqual({ file: 'n.md', heading_path: 'C', exact: true });
  });
});

describe('properties with names that JavaScript has a use for', () => {
  it.each(['constructor', '__proto__', 'toString'])('can be filtered by (%s)', field => {
    const filters = [
      { kind: 'property', field, value: 'x' },
      { kind: 'property', field, value: 'y' }
    ] as Filter[];
    expect(JSON.stringify(asFilters(filters).front_matter)).toBe(`{"${field}":["x","y"]}`);
  });
});
