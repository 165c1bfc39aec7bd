// What is read of a note for its panel: outline, links both ways, what is broken, where it is mentioned. No DOM.
import type { Client } from '../api/client';
import type { Mention, Outline, ResolvedLink } from '../api/types';
import { type BrokenLink, brokenLinks, isWiki, type Notes, notesOf, splitTarget } from './linkList';

/** Links that are read at once. */
const PAGE = 200;

/** Null stands for what has not been read yet. */
export interface NoteData {
  outline: Outline | null;
  incoming: readonly ResolvedLink[] | null;
  incomingTotal: number;
  outgoing: readonly ResolvedLink[] | null;
  broken: readonly BrokenLink[];
  mentions: readonly Mention[] | null;
  mentionsMore: boolean;
  /** Titles and dates of the notes at the other ends. */
  notes: Notes;
}

export const NOTHING: NoteData = {
  outline: null,
  incoming: null,
  incomingTotal: 0,
  outgoing: null,
  broken: [],
  mentions: null,
  mentionsMore: false,
  notes: new Map()
};

/** The first links to and from a note. */
export async function readLinks(
  client: Client,
  file: string,
  known: Notes,
  signal: AbortSignal
): Promise<Partial<NoteData>> {
  const [into, out] = await Promise.all([
    client.links({ file, direction: 'in', limit: PAGE }, signal),
    client.links({ file, direction: 'out', limit: PAGE }, signal)
  ]);
  const named = [
    ...into.links.map(link => link.source.file),
    ...out.links.flatMap(link => (link.target && link.status === 'resolved' ? [link.target.file] : []))
  ];
  return {
    incoming: into.links,
    incomingTotal: into.total,
    outgoing: out.links,
    broken: brokenLinks(out.links),
    notes: await readNotes(client, named, known, signal)
  };
}

/** Links to the note behind those that were read. */
export async function readMoreLinks(
  client: Client,
  file: string,
  data: NoteData,
  signal: AbortSignal
): Promise<Partial<NoteData>> {
  const read = data.incoming ?? [];
  const page = await client.links({ file, direction: 'in', limit: PAGE, offset: read.length }, signal);
  const sources = page.links.map(link => link.source.file);
  return {
    incoming: [...read, ...page.links],
    incomingTotal: page.total,
    notes: await readNotes(client, sources, data.notes, signal)
  };
}

/** Broken links with a near name where no note has theirs. */
export async function readSuggestions(
  client: Client,
  file: string,
  broken: readonly BrokenLink[],
  signal: AbortSignal
): Promise<readonly BrokenLink[]> {
  const nameless = broken.filter(({ fault, link }) => fault === 'no-note' && isWiki(link));
  if (!nameless.length) {
    return broken;
  }
  const targets = [...new Set(nameless.map(({ link }) => splitTarget(link.raw_target)[0]))];
  const answers = await client.resolve(file, targets, signal);
  const near = new Map(answers.map(answer => [answer.raw_target, answer.suggestions[0] ?? null]));
  return broken.map(one =>
    nameless.includes(one)
      ? { ...one, suggestion: near.get(splitTarget(one.link.raw_target)[0]) ?? null }
      : one
  );
}

export async function readMentions(
  client: Client,
  file: string,
  known: Notes,
  signal: AbortSignal
): Promise<Partial<NoteData>> {
  const page = await client.mentions({ file, limit: PAGE }, signal);
  const sources = page.mentions.map(mention => mention.source.file);
  return {
    mentions: page.mentions,
    mentionsMore: page.more,
    notes: await readNotes(client, sources, known, signal)
  };
}

/** Titles and dates of notes, in one request. */
async function readNotes(
  client: Client,
  files: readonly string[],
  known: Notes,
  signal: AbortSignal
): Promise<Notes> {
  if (!files.length) {
    return known;
  }
  const { hits } = await client.search(
    {
      filters: { path: [...new Set(files)] },
      granularity: 'document',
      order_by: 'modified',
      descending: true,
      limit: 2 * PAGE,
      fresh: false
    },
    signal
  );
  return new Map([...known, ...notesOf(hits)]);
}
