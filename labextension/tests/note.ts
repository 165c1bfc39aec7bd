// One note on the fake server: sections are level-1 headings, the hash of a text is the text itself in hexadecimal.
import { type Asked, type FakeServer, Refusal } from './server';

interface Part {
  heading: string;
  text: string;
  line: number;
}

export class NoteOnServer {
  constructor(
    server: FakeServer,
    public text: string
  ) {
    server.on('GET', 'vaults/v/section', asked => this._content(asked.query.get('heading_path')));
    server.on('GET', 'vaults/v/outline', () => ({
      file: 'n.md',
      title: 'n',
      version: '',
      sections: this._outline()
    }));
    server.on('PATCH', 'vaults/v/section', asked => this._edit(asked));
  }

  get hash(): string {
    return hashOf(this.text);
  }

  /** Edits wait from now on until the function that is returned is called. */
  hold(): () => void {
    let open = (): void => undefined;
    this._gate = new Promise(resolve => (open = resolve));
    return open;
  }

  private _parts(): Part[] {
    const found: Part[] = [];
    let line = 1;
    for (const text of this.text.split(/(?<=\n)(?=# )/)) {
      if (text.startsWith('# ')) {
        found.push({ heading: /^# (.*?)\r?$/m.exec(text)?.[1] ?? '', text: text.trimEnd(), line });
      }
      line += text.split('\n').length - 1;
    }
    return found;
  }

  private _part(path: string): Part {
    const part = this._parts().find(other => other.heading === path);
    if (!part) {
      throw new Refusal(404, { code: 'section-not-found', message: 'not there', hint: null, details: {} });
    }
    return part;
  }

  private _content(path: string | null): unknown {
    const part = path === null ? { heading: '', text: this.text, line: 1 } : this._part(path);
    const { heading, text, line } = part;
    return {
      file: 'n.md',
      heading,
      heading_path: heading,
      level: 1,
      content: text,
      line_range: { start: line, end: line + text.split('\n').length - 1 },
      content_hash: hashOf(text),
      version: ''
    };
  }

  private _outline(): unknown[] {
    return this._parts().map(({ heading, text, line }) => ({
      heading,
      level: 1,
      heading_path: heading,
      line_range: { start: line, end: line + text.split('\n').length - 1 },
      content_hash: hashOf(text),
      children: []
    }));
  }

  private async _edit(asked: Asked): Promise<unknown> {
    await this._gate;
    const { section, operation, body, heading } = asked.body as {
      section: { heading_path?: string };
      operation: string;
      body: string;
      heading: string;
    };
    const path = section.heading_path ?? null;
    const old = path === null ? this.text : this._part(path).text;
    if (asked.headers.get('If-Match') !== `"${hashOf(old)}"`) {
      throw new Refusal(412, { code: 'conflict', message: 'changed', hint: null, details: {} });
    }
    let now: string | null = null;
    if (operation === 'rewrite') {
      this.text = this.text.replace(old, () => body);
      now = /^# (.*?)\r?$/m.exec(body)?.[1] ?? null;
    } else {
      this.text = this.text.replace(old, () => `${old}\n# ${heading}\n${body}`);
      now = heading;
    }
    const written = path === null ? this.text : this._part(now ?? '').text;
    return {
      file: 'n.md',
      heading_path: path === null ? null : now,
      content_hash: hashOf(written),
      version: '',
      sections: this._outline(),
      written: true
    };
  }

  private _gate: Promise<void> | undefined;
}

function hashOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), byte => byte.toString(16).padStart(2, '0')).join('');
}
