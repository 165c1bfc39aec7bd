// Where a place of the vault stands in a note as it is now: lines from heading paths, headings from lines. No DOM.
import type { Outline, OutlineNode, SectionRef } from '../api/types';

/** All sections of an outline in the order of the note. */
export function flat(nodes: readonly OutlineNode[]): OutlineNode[] {
  return nodes.flatMap(node => [node, ...flat(node.children)]);
}

/** The deepest section that holds a line, blank lines at its end included; null above the first one. */
export function sectionAt(outline: Outline, line: number): OutlineNode | null {
  return flat(outline.sections).findLast(node => node.line_range.start <= line) ?? null;
}

/** The section with a heading path; where several have the same (a heading may hold ` > ` or end in `[2]`) the one that holds a line, else the first. */
export function sectionNamed(
  outline: Outline,
  headingPath: string,
  line: number | null = null
): OutlineNode | null {
  const named = flat(outline.sections).filter(node => node.heading_path === headingPath);
  const here =
    line === null || named.length < 2 ? undefined : named.findLast(node => node.line_range.start <= line);
  return here ?? named[0] ?? null;
}

/** How the server is told which section is meant, also where another one has the same heading path. */
export function refOf(outline: Outline, node: OutlineNode): SectionRef {
  const { file } = outline;
  const others = flat(outline.sections).filter(other => other.heading_path === node.heading_path);
  return others.length > 1
    ? { file, line: node.line_range.start }
    : { file, heading_path: node.heading_path, exact: true };
}

/**
 * The heading path that a section has after one heading of the note, its own or one above it, was given another text; null
 * where that is not what happened.
 */
export function renamed(before: Outline, after: Outline, headingPath: string): string | null {
  const [old, now] = [flat(before.sections), flat(after.sections)];
  const here = old.findIndex(node => node.heading_path === headingPath);
  const other = old.flatMap((node, index) => (node.heading === now[index]?.heading ? [] : [index]));
  const [at] = other;
  const changed = at === undefined ? undefined : old[at];
  if (here < 0 || old.length !== now.length || other.length !== 1 || !changed) {
    return null;
  }
  const isAbove =
    headingPath === changed.heading_path || headingPath.startsWith(`${changed.heading_path} > `);
  return isAbove ? (now[here]?.heading_path ?? null) : null;
}

/** The sections beside one: those with the same parent, itself included. */
export function siblings(outline: Outline, headingPath: string): readonly OutlineNode[] {
  const beside = (nodes: readonly OutlineNode[]): readonly OutlineNode[] | null => {
    if (nodes.some(node => node.heading_path === headingPath)) {
      return nodes;
    }
    for (const node of nodes) {
      const found = beside(node.children);
      if (found) {
        return found;
      }
    }
    return null;
  };
  return beside(outline.sections) ?? [];
}

/** A section with those above it, the topmost first. */
export function trail(outline: Outline, headingPath: string): readonly OutlineNode[] {
  const down = (nodes: readonly OutlineNode[]): OutlineNode[] | null => {
    for (const node of nodes) {
      if (node.heading_path === headingPath) {
        return [node];
      }
      const below = down(node.children);
      if (below) {
        return [node, ...below];
      }
    }
    return null;
  };
  return down(outline.sections) ?? [];
}
