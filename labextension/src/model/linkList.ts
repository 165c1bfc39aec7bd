// Links as the note panel lists them: by note, with a window on the words around each, and what is wrong with broken ones.
import type { Hit, Mention, ResolvedLink } from '../api/types';
import { folderOf } from '../ui/text';

/** One place in a note: where it is, and the words around with what is to be marked in them. */
export interface LinkRow {
  id: string;
  file: string;
  line: number;
  headingPath: string | null;
  text: string;
  marks: [number, number][];
  /** What to mark where the place is opened. */
  words: string[];
}

export interface LinkGroup {
  file: string;
  title: string;
  folder: string;
  /** Seconds since 1970, 0 where it is not known. */
  modified: number;
  rows: LinkRow[];
}

export type Order = 'modified' | 'title';

/** What is known of notes beside their paths: titles, and when they were edited. */
export type Notes = ReadonlyMap<string, { title: string; modified: number }>;

export function notesOf(hits: readonly Hit[]): Notes {
  return new Map(hits.map(hit => [hit.file, { title: hit.title, modified: hit.modified ?? 0 }]));
}

/** Characters that are kept before a link. */
const BEFORE = 24;

/** Links to a note, grouped by the note they stand in. */
export function linkedFrom(links: readonly ResolvedLink[], notes: Notes, order: Order): LinkGroup[] {
  return grouped(
    links.map(link => [link.source.file, linkRow(link, link.source.heading_path)]),
    notes,
    order
  );
}

/** Links of a note that lead somewhere, grouped by where they lead, in the order of the note. */
export function linksFrom(links: readonly ResolvedLink[], notes: Notes): LinkGroup[] {
  const rows = links.flatMap(link =>
    link.target && link.status === 'resolved'
      ? [[link.target.file, { ...linkRow(link, link.source.heading_path) }] as [string, LinkRow]]
      : []
  );
  return grouped(rows, notes, null);
}

/** Mentions of a note, grouped by the note they stand in; each row keeps its mention. */
export function mentionedIn(mentions: readonly Mention[], notes: Notes): LinkGroup[] {
  return grouped(
    mentions.map(mention => [
      mention.source.file,
      {
        id: mentionId(mention),
        file: mention.source.file,
        line: mention.line,
        headingPath: mention.source.heading_path,
        ...around(mention.context, mention.span[0], mention.span[1]),
        words: [mention.text]
      }
    ]),
    notes,
    'modified'
  );
}

export function mentionId(mention: Mention): string {
  return `${mention.source.file}:${mention.byte_range.start}`;
}

function linkRow(link: ResolvedLink, headingPath: string): LinkRow {
  const [start, end] = spanOf(link.context, link);
  return {
    id: `${link.source.file}:${link.line}:${link.raw_target}`,
    file: link.source.file,
    line: link.line,
    headingPath,
    ...around(link.context, start, end),
    words: [Array.from(link.context).slice(start, end).join('') || link.raw_target]
  };
}

function grouped(rows: [string, LinkRow][], notes: Notes, order: Order | null): LinkGroup[] {
  const groups = new Map<string, LinkGroup>();
  for (const [file, row] of rows) {
    const known = notes.get(file);
    const group = groups.get(file) ?? {
      file,
      title: known?.title ?? nameOf(file),
      folder: folderOf(file),
      modified: known?.modified ?? 0,
      rows: []
    };
    groups.set(file, group);
    const same = group.rows.filter(other => other.id.split('\n')[0] === row.id).length;
    group.rows.push(same ? { ...row, id: `${row.id}\n${same}` } : row);
  }
  const list = [...groups.values()];
  list.forEach(group => group.rows.sort((a, b) => a.line - b.line));
  if (order === 'modified') {
    list.sort((a, b) => b.modified - a.modified || compare(a.title, b.title));
  } else if (order === 'title') {
    list.sort((a, b) => compare(a.title, b.title));
  }
  return list;
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true });
}

/** A note's name: the last part of its path without `.md`. */
export function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/i, '');
}

/** The link as it is written, as far as its target tells. */
export function written(link: ResolvedLink): string {
  const { raw_target: target, kind } = link;
  return kind === 'wikilink' ? `[[${target}]]` : kind === 'embed' ? `![[${target}]]` : `[…](${target})`;
}

/** Whether a link is written in double brackets. */
export function isWiki(link: ResolvedLink): boolean {
  return link.kind === 'wikilink' || (link.kind === 'embed' && link.context.includes(`[[${link.raw_target}`));
}

/** Where a link stands in the line around it, in code points; empty where it cannot be told. */
function spanOf(context: string, link: ResolvedLink): [number, number] {
  const target = link.raw_target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const wiki = new RegExp(`!?\\[\\[${target}(?:\\\\?\\|[^\\]]*)?\\]\\]`, 'u').exec(context);
  const found = wiki ?? new RegExp(`!?\\[[^\\]]*\\]\\(<?${target}>?[^)]*\\)`, 'u').exec(context);
  if (!found) {
    return [0, 0];
  }
  const start = Array.from(context.slice(0, found.index)).length;
  return [start, start + Array.from(found[0]).length];
}

/** Text with little before the marked part: cut at a word where it is long. */
function around(context: string, start: number, end: number): { text: string; marks: [number, number][] } {
  const points = Array.from(context);
  let from = 0;
  if (start > BEFORE) {
    from = start - BEFORE;
    const space = points.indexOf(' ', from);
    from = space >= 0 && space < start ? space + 1 : from;
  }
  const shift = from > 0 ? 1 - from : 0;
  return {
    text: (from > 0 ? '…' : '') + points.slice(from).join(''),
    marks: end > start ? [[start + shift, end + shift]] : []
  };
}

/** What is wrong with a link, and so what can be done. */
export type Fault = 'no-note' | 'no-file' | 'no-heading' | 'no-block' | 'several-notes' | 'several-headings';

export interface BrokenLink {
  id: string;
  link: ResolvedLink;
  fault: Fault;
  /** The nth link (from 0) of this line with this target, for what is written again. */
  nth: number;
  /** A target that resolves and is near, or null. */
  suggestion: string | null;
}

/** Files that a link may name and that are no notes, by their endings. */
const NOTE = /(^|\/)[^/.]*(\.md|\.html?)?$|\.md$/i;

/** The links of a note that lead nowhere or to several places. */
export function brokenLinks(links: readonly ResolvedLink[]): BrokenLink[] {
  const seen = new Map<string, number>();
  const broken: BrokenLink[] = [];
  for (const link of links) {
    const key = `${link.line}:${link.raw_target}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    if (link.status !== 'resolved') {
      broken.push({ id: `${key}:${nth}`, link, fault: faultOf(link), nth, suggestion: null });
    }
  }
  return broken;
}

function faultOf(link: ResolvedLink): Fault {
  if (link.status === 'ambiguous') {
    return new Set(link.candidates.map(candidate => candidate.file)).size > 1
      ? 'several-notes'
      : 'several-headings';
  }
  const [file, fragment] = splitTarget(link.raw_target);
  if (link.target) {
    return fragment?.startsWith('^') ? 'no-block' : 'no-heading';
  }
  return NOTE.test(file) ? 'no-note' : 'no-file';
}

/** The file part and the part behind the first `#` of a target. */
export function splitTarget(target: string): [string, string | null] {
  const at = target.indexOf('#');
  return at < 0 ? [target, null] : [target.slice(0, at), target.slice(at + 1)];
}
