// What a graph shows, read from the server in pages: notes, links, and notes of similar meaning. No DOM.
import type { Client } from '../api/client';
import type { Graph, GraphNode } from '../api/types';
import type { IKnowledgeBase } from '../tokens';
import { folderOf } from '../ui/text';

/** A note as the graph shows it; `similar`: no link leads there, it is like the note in the centre. */
export interface Node extends GraphNode {
  similar?: boolean;
}

/** A line between two notes, whichever way its links lead. */
export interface Line {
  one: string;
  other: string;
}

export interface Picture {
  nodes: ReadonlyMap<string, Node>;
  lines: readonly Line[];
  /** Pairs of similar meaning, the note in the centre first. */
  similar: readonly Line[];
  /** Notes within the steps, those that are not shown included. */
  total: number;
  /** Notes that more steps would bring; null in a graph of the whole vault. */
  beyond: number | null;
}

/** Notes of a graph around one note at most. */
export const MOST = 150;
export const MOST_STEPS = 3;
/** Notes asked for at once of the whole vault: the server sends 256 KB at most, and these are less. */
const PAGE = 250;
/** Pages that are asked for at the same time: as many as a browser has connections for. */
const AT_ONCE = 6;
const SIMILAR = 5;

/** The notes at most `steps` links away from a note. Throws `ApiError`. */
export async function around(
  client: Client,
  file: string,
  steps: number,
  meaning: boolean,
  signal?: AbortSignal
): Promise<Picture> {
  const [near, farther, like] = await Promise.all([
    pages(client, { file, depth: steps }, 0, MOST, signal),
    steps < MOST_STEPS ? client.graph({ file, depth: MOST_STEPS, limit: 1 }, signal) : null,
    meaning ? similarTo(client, file, signal) : []
  ]);
  const nodes = new Map<string, Node>(near.nodes.map(node => [node.file, node]));
  const linked = new Set(
    near.edges.flatMap(({ source, target }) => (source === file ? [target] : target === file ? [source] : []))
  );
  const similar = like.filter(node => node.file !== file && !linked.has(node.file));
  for (const node of similar) {
    if (!nodes.has(node.file)) {
      nodes.set(node.file, node);
    }
  }
  return {
    nodes,
    lines: merged(near.edges),
    similar: similar.map(node => ({ one: file, other: node.file })),
    total: near.total,
    beyond: farther ? Math.max(0, farther.total - near.total) : 0
  };
}

/** The whole vault. `progress` is told how many notes are there, and of how many. Throws `ApiError`. */
export async function whole(
  client: Client,
  signal?: AbortSignal,
  progress: (done: number, total: number) => void = () => undefined
): Promise<Picture> {
  const first = await client.graph({ limit: PAGE }, signal);
  const parts: Graph[] = [first];
  let done = first.nodes.length;
  progress(done, first.total);
  const starts: number[] = [];
  for (let at = done; at < first.total; at += PAGE) {
    starts.push(at);
  }
  const fetchNext = async (): Promise<void> => {
    for (let at = starts.shift(); at !== undefined; at = starts.shift()) {
      const part = await pages(client, {}, at, Math.min(at + PAGE, first.total), signal);
      parts.push(part);
      done += part.nodes.length;
      progress(done, first.total);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext));
  const nodes = new Map(parts.flatMap(part => part.nodes).map(node => [node.file, node as Node]));
  return {
    nodes,
    lines: merged(parts.flatMap(part => part.edges)),
    similar: [],
    total: first.total,
    beyond: null
  };
}

/** The nodes from one place to another of the server's order; a page may be shorter than was asked for. */
async function pages(
  client: Client,
  query: { file?: string; depth?: number },
  from: number,
  to: number,
  signal?: AbortSignal
): Promise<Graph> {
  const all: Graph = { nodes: [], edges: [], total: 0 };
  let end = to;
  for (let at = from; at < end;) {
    const page = await client.graph({ ...query, limit: end - at, offset: at }, signal);
    all.nodes.push(...page.nodes);
    all.edges.push(...page.edges);
    all.total = page.total;
    end = Math.min(end, page.total);
    at += page.nodes.length;
    if (!page.nodes.length) {
      break;
    }
  }
  return all;
}

async function similarTo(client: Client, file: string, signal?: AbortSignal): Promise<Node[]> {
  try {
    const found = await client.search(
      {
        like: { file, heading_path: null, line: null, exact: false },
        granularity: 'document',
        limit: SIMILAR + 1,
        wait: 0
      },
      signal
    );
    return found.hits.map(hit => ({
      file: hit.file,
      title: hit.title,
      folder: folderOf(hit.file),
      tags: [],
      degree: 0,
      distance: null,
      missing: false,
      similar: true
    }));
  } catch {
    signal?.throwIfAborted();
    return []; // without vectors there is nothing to compare
  }
}

/** Whether notes of the vault can be compared by meaning. */
export function comparable(kb: Pick<IKnowledgeBase, 'status'>): boolean {
  const model = kb.status?.model;
  return Boolean(model && model.embedded > 0 && !model.problem);
}

function merged(edges: Graph['edges']): Line[] {
  const lines = new Map<string, Line>();
  for (const { source, target } of edges) {
    const [one, other] = source < target ? [source, target] : [target, source];
    lines.set(`${one}\0${other}`, { one, other });
  }
  return [...lines.values()];
}
