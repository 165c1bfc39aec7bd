// The first lines of a section with what is known of its note, for cards and lists. Kept a minute, or until it changes. No DOM.
import type { IKnowledgeBase } from '../tokens';

export interface LinkPreview {
  file: string;
  title: string;
  headingPath: string | null;
  /** Safe HTML of the section's first lines; '' where it has no text of its own. */
  html: string;
  tags: readonly string[];
  /** Seconds since 1970, or null where it is not known. */
  modified: number | null;
  /** Notes that link to the note; `more` where there are more than were counted. */
  linkedFrom: number;
  more: boolean;
}

const KEPT = 60_000;
/** Characters of a section that are rendered: six lines hold less. */
const LENGTH = 900;
const MOST_LINKS = 200;
const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const HEADING = /^\s*(?:#{1,6}[ \t][^\n]*|[^\n]+\n(?:=+|-+)[ \t]*)(?:\n|$)/;

export class LinkPreviews {
  constructor(private readonly _kb: IKnowledgeBase) {
    _kb.events.connect((_, event) => {
      if (event.kind === 'index_updated') {
        this._kept.clear(); // links from other notes are part of it
      }
    });
    _kb.changed.connect(() => this._kept.clear());
  }

  /** Throws `ApiError` where the note or section is not there. */
  get(file: string, headingPath: string | null): Promise<LinkPreview> {
    const key = `${file}\0${headingPath ?? ''}`;
    const kept = this._kept.get(key);
    if (kept && Date.now() - kept.since < KEPT) {
      return kept.preview;
    }
    const preview = this._read(file, headingPath);
    this._kept.set(key, { since: Date.now(), preview });
    preview.catch(() => this._kept.delete(key));
    return preview;
  }

  private async _read(file: string, headingPath: string | null): Promise<LinkPreview> {
    const { client } = this._kb;
    const [section, names, links] = await Promise.all([
      client.section({ file, heading_path: headingPath, exact: headingPath !== null }),
      client.notes({ query: file, limit: 5 }),
      client.links({ file, direction: 'in', limit: MOST_LINKS })
    ]);
    const note = names.notes.find(one => one.file === file);
    const text = firstLines(section.content);
    return {
      file,
      title: note?.title ?? file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/i, ''),
      headingPath,
      html: text ? await client.render(text, file) : '',
      tags: note?.tags ?? [],
      modified: note?.modified ?? null,
      linkedFrom: new Set(links.links.map(link => link.source.file).filter(source => source !== file)).size,
      more: links.total > links.links.length
    };
  }

  private readonly _kept = new Map<string, { since: number; preview: Promise<LinkPreview> }>();
}

/** The beginning of a section's own text: without front matter and the headings that stand before it, whole words. */
export function firstLines(content: string): string {
  let text = content.replace(FRONT_MATTER, '');
  while (HEADING.test(text)) {
    text = text.replace(HEADING, '');
  }
  text = text.trim();
  const next = text.search(/\n#{1,6}[ \t]/);
  if (next > 0) {
    text = text.slice(0, next).trim(); // what follows under a heading of its own is another section's
  }
  if (text.length <= LENGTH) {
    return text;
  }
  const end = Math.max(text.lastIndexOf('\n\n', LENGTH), text.lastIndexOf(' ', LENGTH));
  return text.slice(0, end > LENGTH / 2 ? end : LENGTH);
}
