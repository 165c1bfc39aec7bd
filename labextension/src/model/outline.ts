// The heading tree as rows: what is folded, what a filter leaves, where the reader is. No DOM.
import type { Outline, OutlineNode } from '../api/types';

export interface OutlineRow {
  id: string;
  level: number;
  name: string;
  node: OutlineNode;
  expanded?: boolean;
  current?: boolean;
}

/** Rows that can be seen, in order. The text above the first heading has none; where it is read, no row is current. */
export function outlineRows(
  outline: Outline,
  folded: ReadonlySet<string>,
  filter: string,
  current: string | null
): OutlineRow[] {
  const rows: OutlineRow[] = [];
  const wanted = filter.trim().toLocaleLowerCase();
  let shown: OutlineRow | null = null;
  const walk = (nodes: readonly OutlineNode[], level: number, inside: boolean): void => {
    for (const node of nodes) {
      if (node.level === 0 || (wanted && !matches(node, wanted))) {
        continue;
      }
      const open = wanted !== '' || !folded.has(node.heading_path);
      const row: OutlineRow = { id: node.heading_path, level, name: node.heading, node };
      if (node.children.length) {
        row.expanded = open;
      }
      rows.push(row);
      const holds = inside && current !== null && contains(node, current);
      if (holds) {
        shown = row; // the deepest that can be seen
      }
      if (open) {
        walk(node.children, level + 1, holds);
      }
    }
  };
  walk(outline.sections, 1, true);
  if (shown) {
    (shown as OutlineRow).current = true;
  }
  return rows;
}

/** How many headings an outline has. */
export function headingCount(nodes: readonly OutlineNode[]): number {
  return nodes.reduce((sum, node) => sum + (node.level > 0 ? 1 : 0) + headingCount(node.children), 0);
}

/** The heading paths that can be folded. */
export function foldable(nodes: readonly OutlineNode[]): string[] {
  return nodes.flatMap(node => (node.children.length ? [node.heading_path, ...foldable(node.children)] : []));
}

/** The sections that have the same parent as this one, itself included, in the order of the note. */
export function siblingsOf(outline: Outline, headingPath: string): readonly OutlineNode[] {
  const search = (nodes: readonly OutlineNode[]): readonly OutlineNode[] | null => {
    if (nodes.some(node => node.heading_path === headingPath)) {
      return nodes.filter(node => node.level > 0);
    }
    for (const node of nodes) {
      const found = search(node.children);
      if (found) {
        return found;
      }
    }
    return null;
  };
  return search(outline.sections) ?? [];
}

/** The section that comes before (-1) or after (1) among the siblings, or null at the end. */
export function neighbour(outline: Outline, headingPath: string, by: -1 | 1): OutlineNode | null {
  const siblings = siblingsOf(outline, headingPath);
  const at = siblings.findIndex(node => node.heading_path === headingPath);
  return at < 0 ? null : (siblings[at + by] ?? null);
}

/** Whether a section is this one or lies in it. */
export function contains(node: OutlineNode, headingPath: string): boolean {
  return node.heading_path === headingPath || node.children.some(child => contains(child, headingPath));
}

function matches(node: OutlineNode, wanted: string): boolean {
  return (
    node.heading.toLocaleLowerCase().includes(wanted) || node.children.some(child => matches(child, wanted))
  );
}
