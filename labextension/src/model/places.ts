// Where a place of the vault stands in a note as it is now: lines from heading paths, headings from lines. No DOM.
import type { Outline, OutlineNode } from '../api/types';

/** All sections of an outline in the order of the note. */
export function flat(nodes: readonly OutlineNode[]): OutlineNode[] {
  return nodes.flatMap(node => [node, ...flat(node.children)]);
}

/** The deepest section that holds a line, or null above the first heading. */
export function sectionAt(outline: Outline, line: number): OutlineNode | null {
  let found: OutlineNode | null = null;
  let level: readonly OutlineNode[] = outline.sections;
  for (;;) {
    const next: OutlineNode | undefined = level.find(
      node => node.line_range.start <= line && line <= node.line_range.end
    );
    if (!next) {
      return found;
    }
    found = next;
    level = next.children;
  }
}

/** The section with a heading path; the first where several have the same. */
export function sectionNamed(outline: Outline, headingPath: string): OutlineNode | null {
  return flat(outline.sections).find(node => node.heading_path === headingPath) ?? null;
}
