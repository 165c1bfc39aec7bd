// Hits as the panel lists them: by note, each note foldable, the first three and then more. No DOM.
import type { Hit } from '../api/types';
import type { Filter } from './filters';
import type { Mode } from './query';
import { folderOf } from '../ui/text';
import type { TreeRow } from '../ui/tree';

/** Hits of a note that are listed before more are asked for. */
export const FIRST_HITS = 3;

/** A note with its hits, best first. */
export interface Group {
  file: string;
  title: string;
  folder: string;
  hits: Hit[];
}

/** What was found. `query` and `filters` are those that it answers. */
export interface Found {
  query: string;
  mode: Mode;
  filters: readonly Filter[];
  hits: readonly Hit[];
  groups: readonly Group[];
  /** Sections (notes, where there was no query) and notes in all, listed or not. */
  total: number;
  notes: number;
  hasMore: boolean;
  /** Why the answer is not what was asked for, or what else should be known. */
  note: string | null;
  pending: number;
  indexing: readonly number[] | null;
}

export type ResultRow = TreeRow &
  (
    | { kind: 'note'; group: Group }
    | { kind: 'hit'; group: Group; hit: Hit; last: boolean }
    | { kind: 'more'; group: Group; more: number }
  );

/** Which notes are folded, and of which all hits are listed. */
export interface Folding {
  folded: ReadonlySet<string>;
  whole: ReadonlySet<string>;
}

/** By note, in the order of each note's first hit. */
export function grouped(hits: readonly Hit[]): Group[] {
  const groups = new Map<string, Group>();
  for (const hit of hits) {
    const group = groups.get(hit.file);
    if (group) {
      group.hits.push(hit);
    } else {
      groups.set(hit.file, { file: hit.file, title: hit.title, folder: folderOf(hit.file), hits: [hit] });
    }
  }
  return [...groups.values()];
}

/** The rows that can be seen. `nameOf` says what a screen reader says of a row. */
export function rowsOf(
  groups: readonly Group[],
  folding: Folding,
  nameOf: (row: { group: Group; hit?: Hit; more?: number }) => string
): ResultRow[] {
  const rows: ResultRow[] = [];
  for (const group of groups) {
    const expanded = !folding.folded.has(group.file);
    rows.push({ kind: 'note', id: group.file, level: 1, name: nameOf({ group }), expanded, group });
    if (!expanded) {
      continue;
    }
    const all = folding.whole.has(group.file) || group.hits.length <= FIRST_HITS;
    const shown = all ? group.hits : group.hits.slice(0, FIRST_HITS);
    shown.forEach((hit, index) =>
      rows.push({
        kind: 'hit',
        id: idOf(hit),
        level: 2,
        name: nameOf({ group, hit }),
        group,
        hit,
        last: all && index === shown.length - 1
      })
    );
    if (!all) {
      const more = group.hits.length - FIRST_HITS;
      rows.push({
        kind: 'more',
        id: `${group.file}\n…`,
        level: 2,
        name: nameOf({ group, more }),
        group,
        more
      });
    }
  }
  return rows;
}

/** Names a hit within its answer, and in the next one. */
export function idOf(hit: Hit): string {
  return `${hit.file}\n${hit.heading_path}`;
}

/** Whether none of the words led to a hit. */
export function isByMeaning(hit: Hit): boolean {
  return hit.explanation !== null && hit.explanation.text_rank === null;
}

/** The headings above and of a hit, without the first where it only says the note's title again. */
export function placeOf(hit: Hit): string {
  const { heading_path: path, title } = hit;
  if (path === title) {
    return '';
  }
  return path.startsWith(`${title} > `) ? path.slice(title.length + 3) : path;
}

/** The words of a hit that were found, each once. */
export function wordsOf(hit: Hit): string[] {
  const points = Array.from(hit.snippet);
  const words = hit.marks.map(([start, end]) => points.slice(start, end).join('').toLowerCase());
  return [...new Set(words)];
}

export interface Window {
  text: string;
  marks: [number, number][];
}

/**
 * A snippet that starts at most `lead` characters before its first mark, at a word. Offsets are code points.
 */
export function leadIn(snippet: string, marks: readonly (readonly number[])[], lead: number): Window {
  const points = Array.from(snippet);
  const kept = joined(points, marks);
  const first = kept[0]?.[0] ?? 0;
  if (first <= lead) {
    return { text: snippet, marks: kept };
  }
  let from = first - lead;
  if (!isUnspaced(points[from] ?? '')) {
    while (from < first && !/\s/.test(points[from - 1] ?? ' ')) {
      from++;
    }
  }
  const shift = 1 - from; // the ellipsis
  return {
    text: `…${points.slice(from).join('')}`,
    marks: kept.map(([start, end]) => [start + shift, end + shift])
  };
}

/** Marks with nothing but a blank between them as one. */
function joined(points: readonly string[], marks: readonly (readonly number[])[]): [number, number][] {
  const kept: [number, number][] = [];
  for (const [start = 0, end = 0] of marks) {
    const last = kept[kept.length - 1];
    if (last && start === last[1] + 1 && points[last[1]] === ' ') {
      last[1] = end;
    } else {
      kept.push([start, end]);
    }
  }
  return kept;
}

function isUnspaced(character: string): boolean {
  return /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(character);
}
