// Wikilinks as they are written: where they stand in a text, their parts, and what is being typed. No DOM.

/** A wikilink or embed in a text. */
export interface WrittenLink {
  /** Of the whole link, brackets and `!` included, half-open. */
  from: number;
  to: number;
  embed: boolean;
  /** What stands before the first `|`, as it is written. */
  target: string;
  /** What stands behind it, or null. */
  label: string | null;
}

// the server's own syntax: a target without brackets and pipes, then perhaps a label in which `[x]` may stand
const WIKILINK = /(!?)\[\[(?![ \t]*[\]|])([^[\]|\n]+)(?:\|((?:[^[\]\n]|\[[^[\]\n]*\])*))?\]\]/g;
/** `[[2]](https://…)` is how people cite: a Markdown link whose text is in brackets. */
const CITED = /^\(\s*[^)\s]*[/.#:]/;

/** All wikilinks of a text, also those that stand in code: whoever knows what is code leaves them out. */
export function linksIn(text: string): WrittenLink[] {
  const links: WrittenLink[] = [];
  for (const found of text.matchAll(WIKILINK)) {
    const [whole, mark, target = '', label] = found;
    const to = found.index + whole.length;
    if (!CITED.test(text.slice(to, to + 500))) {
      links.push({
        from: found.index,
        to,
        embed: mark === '!',
        target: target.replace(/\\$/, ''), // in a table a backslash hides the pipe
        label: label?.trim() || null
      });
    }
  }
  return links;
}

/** The wikilink of a line that holds a column (its ends included), or null. */
export function linkAt(line: string, column: number): WrittenLink | null {
  return linksIn(line).find(link => link.from <= column && column <= link.to) ?? null;
}

/** What a link shows that has no label: `Note > Heading`. */
export function shownText(target: string): string {
  const parts = target.split('#').map(part => part.trim());
  return parts.filter(part => part !== '').join(' > ') || target;
}

/** A wikilink that is being typed: the cursor stands between its brackets, which may not be closed yet. */
export interface OpenLink {
  /** Columns: behind the opening brackets, and where what is replaced ends (before closing brackets). */
  from: number;
  to: number;
  closed: boolean;
  /** The name of the note, up to the cursor or to `#`; '' for the note itself. */
  note: string;
  /** What was typed of a heading, or null before `#` is typed. */
  heading: string | null;
}

/** The wikilink in which a column of a line stands, before its `|`; null where nothing is to be completed. */
export function openLink(line: string, column: number): OpenLink | null {
  const before = line.slice(0, column);
  const start = before.lastIndexOf('[[');
  if (start < 0 || insideCode(before.slice(0, start))) {
    return null;
  }
  const typed = before.slice(start + 2);
  if (/[[\]|]/.test(typed)) {
    return null;
  }
  // the rest of a name only where brackets close it: text that follows an unfinished link is not part of it
  const rest = /^[^[\]|\n]*(?=\]\])/.exec(line.slice(column));
  const [note = '', ...headings] = typed.split('#');
  return {
    from: start + 2,
    to: column + (rest ? rest[0].length : 0),
    closed: rest !== null,
    note: note.trim(),
    heading: headings.length ? (headings.at(-1) ?? '').trim() : null
  };
}

/** Whether a text ends within a code span that is still open. */
function insideCode(text: string): boolean {
  let fence = 0;
  for (const [run] of text.matchAll(/`+/g)) {
    fence = fence === 0 ? run.length : fence === run.length ? 0 : fence;
  }
  return fence > 0;
}

/** A change of a line, and where the cursor stands after it. */
export interface LineEdit {
  from: number;
  to: number;
  insert: string;
  cursor: number;
}

/** Put a target in place of what was typed, close the brackets, and go on behind them. */
export function insertion(link: OpenLink, target: string): LineEdit {
  const insert = link.closed ? target : `${target}]]`;
  return { from: link.from, to: link.to, insert, cursor: link.from + target.length + 2 };
}
