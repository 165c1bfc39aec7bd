// Writes one link anew, or makes a mention a link: only its own characters change, under the guard of the section's hash.
import type { Client } from '../api/client';
import type { EditResult, Mention, OutlineNode, ResolvedLink } from '../api/types';
import { type BrokenLink, isWiki, nameOf, splitTarget } from './linkList';

/** The text on the line is not what the list was made of, or the link cannot be told from others there. */
export class NotThereError extends Error {
  constructor(readonly line: number) {
    super('the link is not where it was');
    this.name = 'NotThereError';
  }
}

/** Give a link another target. Throws `NotThereError`, or `ApiError` ("conflict" where the section changed meanwhile). */
export async function retarget(client: Client, broken: BrokenLink, target: string): Promise<EditResult> {
  const { link } = broken;
  return rewriteLine(client, link.source.file, link.line, line => {
    const places = targetsIn(line, link);
    if (places.length <= broken.nth || (places.length > 1 && line.includes('`'))) {
      throw new NotThereError(link.line); // one of them may be code
    }
    const start = places[broken.nth] as number;
    return line.slice(0, start) + target + line.slice(start + link.raw_target.length);
  });
}

/** What a link to another heading of the note that it names is written as. */
export async function withHeading(client: Client, link: ResolvedLink, node: OutlineNode): Promise<string> {
  const [name] = splitTarget(link.raw_target);
  if (!isWiki(link)) {
    return `${name}#${encodeURIComponent(node.heading)}`;
  }
  const short = `${name}#${node.heading}`;
  const long = `${name}#${node.heading_path.split(' > ').join('#')}`;
  const [found] = await client.resolve(link.source.file, [short]);
  return found?.target?.heading_path === node.heading_path ? short : long;
}

/** Make a mention a link to the note that `name` names. */
export async function linkMention(client: Client, mention: Mention, name: string): Promise<EditResult> {
  return rewriteLine(client, mention.source.file, mention.line, line => {
    const points = Array.from(line);
    const [start, end] = mention.span;
    if (line !== mention.context || points.slice(start, end).join('') !== mention.text) {
      throw new NotThereError(mention.line);
    }
    const pipe = line.trimStart().startsWith('|') ? '\\|' : '|'; // in a table the bare one ends the cell
    const link = mention.text === name ? `[[${name}]]` : `[[${name}${pipe}${mention.text}]]`;
    return points.slice(0, start).join('') + link + points.slice(end).join('');
  });
}

/** Names that a link to a note may have, shortest first; which of them mean this note the server says. */
export function namesOf(file: string): string[] {
  const path = file.replace(/\.md$/i, '');
  return [...new Set([nameOf(file), path, `/${path}`])];
}

/** The shortest link target that means exactly this note, or this section of it. */
export async function targetFor(
  client: Client,
  file: string,
  node: Pick<OutlineNode, 'heading' | 'heading_path'> | null
): Promise<string> {
  const headings = node ? [node.heading, node.heading_path.split(' > ').join('#')] : [null];
  const targets = headings.flatMap(heading =>
    namesOf(file).map(name => (heading === null ? name : `${name}#${heading}`))
  );
  const resolved = await client.resolve(null, targets);
  const good = resolved.find(
    ({ status, target }) =>
      status === 'resolved' && target?.file === file && (!node || target.heading_path === node.heading_path)
  );
  return good?.raw_target ?? (targets[targets.length - 1] as string);
}

async function rewriteLine(
  client: Client,
  file: string,
  line: number,
  change: (line: string) => string
): Promise<EditResult> {
  const section = await client.section({ file, line }, false); // its own text only: the least that can be guarded
  const { content } = section;
  const [start, end] = lineIn(content, line - section.line_range.start) ?? [-1, -1];
  if (start < 0) {
    throw new NotThereError(line);
  }
  const body = content.slice(0, start) + change(content.slice(start, end)) + content.slice(end);
  // what stands above the first heading has no name of its own
  const ref = section.level > 0 ? { heading_path: section.heading_path, exact: true } : { line };
  return client.edit({ section: { file, ...ref }, operation: 'rewrite', body }, section.content_hash);
}

/** Where a line of a text, from 0, begins and ends (without its line end). */
function lineIn(text: string, index: number): [number, number] | null {
  let start = 0;
  for (const found of text.matchAll(/\r\n|\n|\r/g)) {
    if (index === 0) {
      return [start, found.index];
    }
    index -= 1;
    start = found.index + found[0].length;
  }
  return index === 0 ? [start, text.length] : null;
}

/** Where the target stands in each link of a line that has it. */
function targetsIn(line: string, link: ResolvedLink): number[] {
  const target = link.raw_target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const wiki = Array.from(
    line.matchAll(new RegExp(`\\[\\[${target}(?=\\]\\]|\\\\?\\|)`, 'gu')),
    found => found.index + 2
  );
  if (wiki.length || link.kind === 'wikilink') {
    return wiki;
  }
  return Array.from(
    line.matchAll(new RegExp(`\\]\\((<?)${target}(?=[>)\\s])`, 'gu')),
    found => found.index + 2 + (found[1]?.length ?? 0)
  );
}
