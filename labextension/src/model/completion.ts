// What may stand between the brackets of a wikilink that is being typed: notes, headings, or a note still to be made.
import type { Client } from '../api/client';
import type { NoteInfo } from '../api/types';
import { nameOf, sectionTarget } from './linkNames';
import type { OpenLink } from './linkTargets';
import { flat } from './places';
import type { LinkResolver } from './resolver';

/** The most rows of the list. */
export const MOST = 20;
/** Of these, the most headings of other notes where notes are listed too. */
const MOST_HEADINGS = 6;
const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

export interface Suggestion {
  kind: 'note' | 'heading' | 'create';
  /** What the row says. */
  text: string;
  /** Beside it: the folder, or the note of a heading. */
  detail: string;
  /** What is marked in `text`: half-open ranges. */
  marks: [number, number][];
  /** The note and section that it leads to; '' where there is none yet. */
  file: string;
  headingPath: string | null;
  /** What is written between the brackets. */
  target: string;
}

/**
 * The suggestions for a link that is being typed in a note (`file` null: in a text that lies in no note).
 *
 * Throws `ApiError` where the server gives no answer, or the signal's `AbortError`.
 */
export async function suggest(
  client: Client,
  resolver: LinkResolver,
  link: OpenLink,
  file: string | null,
  signal: AbortSignal
): Promise<Suggestion[]> {
  return link.heading === null
    ? suggestNotes(client, resolver, link.note, file, signal)
    : suggestHeadings(client, resolver, link.note, link.heading, file, signal);
}

async function suggestNotes(
  client: Client,
  resolver: LinkResolver,
  query: string,
  file: string | null,
  signal: AbortSignal
): Promise<Suggestion[]> {
  const [notes, headings] = query
    ? await Promise.all([byName(client, query, signal), byHeading(client, query, signal)])
    : [await recent(client, file, signal), []];
  const shownHeadings = headings.slice(0, Math.max(MOST_HEADINGS, MOST - 1 - notes.length));
  const shownNotes = notes.slice(0, MOST - 1 - shownHeadings.length);
  const rows = await Promise.all([
    ...shownNotes.map(note => noteRow(resolver, note, query, file)),
    ...shownHeadings.map(async ({ note, heading, path }): Promise<Suggestion> => ({
      kind: 'heading',
      text: heading,
      detail: note.title,
      marks: matches(heading, query),
      file: note.file,
      headingPath: path,
      target: await sectionTarget(resolver, await nameOf(resolver, note, file), path, file)
    }))
  ]);
  const known = rows.some(row => row.kind === 'note' && same(row.text, query));
  return query && !known && !rows.some(row => same(row.target, query)) ? [...rows, createRow(query)] : rows;
}

async function suggestHeadings(
  client: Client,
  resolver: LinkResolver,
  name: string,
  query: string,
  file: string | null,
  signal: AbortSignal
): Promise<Suggestion[]> {
  const found = name ? (await resolver.resolve(file, name))?.target?.file : file;
  if (!found) {
    return name ? [createRow(name)] : [];
  }
  const outline = await client.outline(found, signal);
  const sections = flat(outline.sections)
    .filter(section => section.level > 0 && (!query || matches(section.heading, query).length > 0))
    .slice(0, MOST);
  return Promise.all(
    sections.map(async (section): Promise<Suggestion> => ({
      kind: 'heading',
      text: section.heading,
      detail: '#'.repeat(section.level),
      marks: matches(section.heading, query),
      file: found,
      headingPath: section.heading_path,
      target: await sectionTarget(resolver, name, section.heading_path, file)
    }))
  );
}

async function byName(client: Client, query: string, signal: AbortSignal): Promise<NoteInfo[]> {
  return (await client.notes({ query, limit: MOST }, signal)).notes;
}

/** The notes that were changed last, without the one in which the link is typed. */
async function recent(client: Client, file: string | null, signal: AbortSignal): Promise<Note[]> {
  const { hits } = await client.search(
    { query: '', order_by: 'modified', descending: true, granularity: 'document', limit: MOST, fresh: false },
    signal
  );
  return hits.filter(hit => hit.file !== file).map(({ file, title }) => ({ file, title, aliases: [] }));
}

type Note = Pick<NoteInfo, 'file' | 'title' | 'aliases'>;

async function byHeading(
  client: Client,
  query: string,
  signal: AbortSignal
): Promise<{ note: Note; heading: string; path: string }[]> {
  const ask = (mode: 'headings' | 'text') =>
    client.search({ query, mode, limit: MOST, per_file: 2, granularity: 'section', fresh: false }, signal);
  // headings are compared word by word; where words are not divided by blanks the text index finds what is within them
  const answers = await Promise.all([ask('headings'), ...(WIDE.test(query) ? [ask('text')] : [])]);
  const found = new Map<string, { note: Note; heading: string; path: string }>();
  for (const { hits } of answers) {
    for (const { file, title, heading, heading_path } of hits) {
      // a note's own title is listed among the notes
      if (heading && heading_path !== title && matches(heading, query).length > 0) {
        found.set(`${file}\0${heading_path}`, {
          note: { file, title, aliases: [] },
          heading,
          path: heading_path
        });
      }
    }
  }
  return [...found.values()];
}

async function noteRow(
  resolver: LinkResolver,
  note: Note,
  query: string,
  file: string | null
): Promise<Suggestion> {
  const name = await nameOf(resolver, note, file);
  const alias =
    matches(note.title, query).length > 0
      ? undefined
      : note.aliases.find(one => matches(one, query).length > 0);
  const text = alias ?? note.title;
  return {
    kind: 'note',
    text,
    detail: alias === undefined ? folderOf(note.file) : note.title,
    marks: matches(text, query),
    file: note.file,
    headingPath: null,
    // the words that were looked for stay what the reader sees
    target: alias === undefined ? name : `${name}|${alias}`
  };
}

function createRow(name: string): Suggestion {
  return { kind: 'create', text: name, detail: '', marks: [], file: '', headingPath: null, target: name };
}

/** Where the words of a query stand in a text, in any case. Empty unless all of them do. */
export function matches(text: string, query: string): [number, number][] {
  const folded = text.toLowerCase();
  const ranges: [number, number][] = [];
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = folded.indexOf(word);
    if (at < 0) {
      return [];
    }
    ranges.push([at, at + word.length]);
  }
  ranges.sort((a, b) => a[0] - b[0]);
  return ranges.filter(([start], index) => index === 0 || start >= (ranges[index - 1]?.[1] ?? 0));
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}
