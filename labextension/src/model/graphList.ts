// The graph as a list: each note below the one that leads to it; the whole vault by folder. No DOM.
import type { GraphModel } from './graph';
import type { Node } from './graphData';

export interface ListRow {
  id: string;
  level: number;
  name: string;
  expanded?: boolean;
  current?: boolean;
  /** Null: a folder, or "more". */
  node: Node | null;
  folder?: string;
  count?: number;
  /** Notes of the folder that are not listed. */
  more?: number;
}

/** Notes of a folder that are listed before all are asked for. */
const FIRST = 200;

/** `toggled`: rows that are the other way than they begin: around a note open, in the whole vault closed. */
export function listRows(model: GraphModel, toggled: ReadonlySet<string>): ListRow[] {
  return model.centre.file === null ? byFolder(model, toggled) : outwards(model, model.centre.file, toggled);
}

function outwards(model: GraphModel, centre: string, toggled: ReadonlySet<string>): ListRow[] {
  const { nodes, similar } = model.picture;
  const like = new Set(similar.map(({ other }) => other));
  const parents = new Map<string, string[]>();
  const seen = new Set([centre]);
  for (let ring = [centre]; ring.length;) {
    const next: string[] = [];
    for (const file of ring) {
      const near = [...model.neighbours(file)].filter(other => !seen.has(other));
      near.sort(byTitle(nodes));
      near.forEach(other => seen.add(other));
      parents.set(file, near);
      next.push(...near);
    }
    ring = next;
  }
  const rest = [...nodes.keys()].filter(file => !seen.has(file)).sort(byTitle(nodes));
  parents.set(centre, [...(parents.get(centre) ?? []), ...rest]);
  const rows: ListRow[] = [];
  const add = (file: string, level: number): void => {
    const node = nodes.get(file);
    if (!node) {
      return;
    }
    const below = parents.get(file) ?? [];
    const before = rows.length;
    const open = !toggled.has(file);
    const row: ListRow = { id: file, level, name: node.title, node, current: file === centre };
    rows.push(row);
    if (open || model.filter) {
      below.forEach(other => add(other, level + 1));
    }
    if (below.length) {
      row.expanded = open || Boolean(model.filter);
    }
    // a note that does not pass stays where one below it does
    if (!model.passes(node) && rows.length === before + 1) {
      rows.pop();
    }
    if (like.has(file) && !node.similar) {
      row.node = { ...node, similar: true };
    }
  };
  add(centre, 1);
  return rows;
}

function byFolder(model: GraphModel, toggled: ReadonlySet<string>): ListRow[] {
  const folders = new Map<string, Node[]>();
  for (const node of model.picture.nodes.values()) {
    if (model.passes(node)) {
      const folder = node.missing ? MISSING : node.folder;
      const list = folders.get(folder);
      if (list) {
        list.push(node);
      } else {
        folders.set(folder, [node]);
      }
    }
  }
  const rows: ListRow[] = [];
  for (const [folder, notes] of [...folders].sort(([a], [b]) =>
    a === MISSING ? 1 : b === MISSING ? -1 : a < b ? -1 : 1
  )) {
    const id = `${folder}/`;
    const open = toggled.has(id) || Boolean(model.filter);
    rows.push({ id, level: 1, name: folder, expanded: open, node: null, folder, count: notes.length });
    if (open) {
      const listed = toggled.has(`${id}more`) ? notes : notes.slice(0, FIRST);
      rows.push(...listed.map(node => ({ id: node.file, level: 2, name: node.title, node })));
      if (listed.length < notes.length) {
        rows.push({ id: `${id}more`, level: 2, name: '', node: null, more: notes.length - listed.length });
      }
    }
  }
  return rows;
}

/** Stands for the folder of notes that are not there. */
export const MISSING = '\0';

function byTitle(nodes: ReadonlyMap<string, Node>): (a: string, b: string) => number {
  return (a, b) =>
    (nodes.get(b)?.degree ?? 0) - (nodes.get(a)?.degree ?? 0) ||
    (nodes.get(a)?.title ?? '').localeCompare(nodes.get(b)?.title ?? '');
}
