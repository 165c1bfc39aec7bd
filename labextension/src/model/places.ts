// Where a place of the vault stands in a note as it is now: lines from heading paths, headings from lines. No DOM.
import type { Outline, OutlineNode } from '../api/types';

/** All sections of an outline in the order of the note. */
export function flat(nodes: readonly OutlineNode[]): OutlineNode[] {
  return nodes.flatMap(node => [node, ...flat(node.children)]);
}

/** The deepest section that holds a line, blank lines at its end included; null above the first one. */
export function sectionAt(outline: Outline, line: number): OutlineNode | null {
  return flat(outline.sections).findLast(node => node.line_range.start <= line) ?? null;
}

/** The section with a heading path; the first where several have the same. */
export function sectionNamed(outline: Outline, headingPath: string): OutlineNode | null {
  return flat(outline.sections).find(node => node.heading_path === headingPath) ?? null;
}
