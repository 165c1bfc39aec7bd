// What is told about a note beside the graph: its first words, its links, when it was edited. No DOM.
import type { Client } from '../api/client';
import type { Node } from './graphData';

export interface Details {
  file: string;
  /** The first sentence or two of the note, as plain text. */
  text: string;
  tags: readonly string[];
  linksOut: number | null;
  linkedFrom: number | null;
  /** Seconds since 1970, or null where that is not known. */
  modified: number | null;
}

const LENGTH = 140;
const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n[\s\S]*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** Never throws: what cannot be read is left out. */
export async function detailsOf(client: Client, node: Node): Promise<Details> {
  const { file } = node;
  const nothing = { file, text: '', tags: node.tags, linksOut: null, linkedFrom: null, modified: null };
  if (node.missing) {
    return nothing;
  }
  try {
    const [section, out, into] = await Promise.all([
      client.section({ file }),
      client.links({ file, direction: 'out', limit: 1 }),
      client.links({ file, direction: 'in', limit: 1 })
    ]);
    return {
      ...nothing,
      text: firstWords(section.content),
      linksOut: out.total,
      linkedFrom: into.total,
      modified: section.modified
    };
  } catch {
    return nothing;
  }
}

/** The beginning of the first paragraph, without the marks of Markdown. */
export function firstWords(content: string): string {
  const paragraph = content
    .replace(FRONT_MATTER, '')
    .split(/\r?\n[ \t]*\r?\n/)
    .map(block => block.replace(/^\s*#{1,6}[ \t].*$/gm, '').trim())
    .find(block => block && !/^(```|~~~|\||>|!\[|<|[-*+] |\d+[.)] )/.test(block));
  const text = (paragraph ?? '')
    .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|[*`])/g, '')
    .replace(/\s+/g, ' ');
  const points = Array.from(text);
  if (points.length <= LENGTH) {
    return text;
  }
  const cut = points.slice(0, LENGTH).join('');
  const sentences = /^.{40,}[.!?](?=\s)|^.{20,}[。！？]/su.exec(cut)?.[0];
  return sentences ?? `${cut.replace(/\s+\S*$/, '')} …`;
}
