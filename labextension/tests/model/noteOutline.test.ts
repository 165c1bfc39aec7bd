import { describe, expect, it } from 'vitest';

import type { Outline, OutlineNode } from '../../src/api/types';
import { foldable, headingCount, neighbour, outlineRows } from '../../src/model/outline';
import { sectionAt } from '../../src/model/places';

function node(
  path: string,
  level: number,
  lines: [number, number],
  children: OutlineNode[] = []
): OutlineNode {
  return {
    heading: path.split(' > ').at(-1) ?? '',
    level,
    heading_path: path,
    line_range: { start: lines[0], end: lines[1] },
    size: 1,
    content_hash: path,
    own_hash: path,
    children
  };
}

const OUTLINE: Outline = {
  file: 'a.md',
  title: 'A',
  version: '1',
  front_matter: null,
  diagnostics: [],
  modified: 0,
  sections: [
    node('Preamble', 0, [1, 2]),
    node(
      'A',
      2,
      [4, 20],
      [node('A > One', 4, [6, 8]), node('A > Two', 3, [10, 20], [node('A > Two > Deep', 4, [12, 20])])]
    ),
    node('B', 1, [22, 30])
  ]
};
const ids = (rows: readonly { id: string }[]): string[] => rows.map(row => row.id);

describe('the rows of an outline', () => {
  it('show every heading wherever its level starts, and not the text above the first', () => {
    const rows = outlineRows(OUTLINE, new Set(), '', null);
    expect(rows.map(row => [row.id, row.level])).toEqual([
      ['A', 1],
      ['A > One', 2],
      ['A > Two', 2],
      ['A > Two > Deep', 3],
      ['B', 1]
    ]);
    expect(headingCount(OUTLINE.sections)).toBe(5);
    expect(foldable(OUTLINE.sections)).toEqual(['A', 'A > Two']);
  });

  it('show where the reader is at the deepest row that can be seen', () => {
    const current = (folded: string[]): string[] =>
      ids(outlineRows(OUTLINE, new Set(folded), '', 'A > Two > Deep').filter(row => row.current));
    expect(current([])).toEqual(['A > Two > Deep']);
    expect(current(['A > Two'])).toEqual(['A > Two']);
    expect(current(['A'])).toEqual(['A']);
  });

  it('are filtered with the headings above them, folded or not', () => {
    expect(ids(outlineRows(OUTLINE, new Set(['A']), 'dEEp', null))).toEqual([
      'A',
      'A > Two',
      'A > Two > Deep'
    ]);
    expect(outlineRows(OUTLINE, new Set(), 'nothing', null)).toEqual([]);
  });
});

describe('a section of an outline', () => {
  it('is found by a line, blank lines after it included', () => {
    const at = (line: number): string | undefined => sectionAt(OUTLINE, line)?.heading_path;
    expect([1, 4, 7, 9, 21, 99].map(at)).toEqual([
      'Preamble',
      'A',
      'A > One',
      'A > One',
      'A > Two > Deep',
      'B'
    ]);
    expect(sectionAt({ ...OUTLINE, sections: OUTLINE.sections.slice(1) }, 2)).toBeNull();
  });

  it('has neighbours among those with the same parent', () => {
    expect(neighbour(OUTLINE, 'A > One', 1)?.heading_path).toBe('A > Two');
    expect(neighbour(OUTLINE, 'A > One', -1)).toBeNull();
    expect(neighbour(OUTLINE, 'A', -1)).toBeNull();
    expect(neighbour(OUTLINE, 'A', 1)?.heading_path).toBe('B');
    expect(neighbour(OUTLINE, 'gone', 1)).toBeNull();
  });
});
