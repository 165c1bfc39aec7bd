// What the targets of wikilinks mean: asked of the server in one request for many, kept until the vault changes. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';

import type { Client } from '../api/client';
import type { ResolvedTarget } from '../api/types';
import type { IKnowledgeBase } from '../tokens';

/** The most targets of one request. */
const MOST = 500;

interface Waiting {
  targets: Map<string, ((found: ResolvedTarget | null) => void)[]>;
}

export class LinkResolver {
  constructor(private readonly _kb: IKnowledgeBase) {
    _kb.events.connect((_, event) => {
      if (event.kind === 'index_updated') {
        this._forget();
      }
    });
    _kb.changed.connect(() => {
      if (_kb.vault?.name !== this._vault) {
        this._vault = _kb.vault?.name;
        this._forget();
      }
    });
  }

  /** What was known is no longer sure: links on the screen are to be asked about again. */
  get forgotten(): ISignal<this, void> {
    return this._forgotten;
  }

  /**
   * What a target means in a note (`file` null: in a text that lies nowhere). Null where the server cannot say. All targets
   * that are asked for in one turn of the event loop go into one request a note.
   */
  resolve(file: string | null, target: string): Promise<ResolvedTarget | null> {
    const key = `${file ?? ''}\0${target}`;
    const known = this._known.get(key);
    if (known) {
      return known;
    }
    const found = new Promise<ResolvedTarget | null>(resolve => {
      let waiting = this._waiting.get(file);
      if (!waiting) {
        waiting = { targets: new Map() };
        this._waiting.set(file, waiting);
      }
      const already = waiting.targets.get(target);
      if (already) {
        already.push(resolve);
      } else {
        waiting.targets.set(target, [resolve]);
      }
      this._timer ??= setTimeout(() => this._ask(), 0);
    });
    this._known.set(key, found);
    return found;
  }

  private _ask(): void {
    this._timer = null;
    const all = [...this._waiting];
    this._waiting.clear();
    for (const [file, { targets }] of all) {
      const entries = [...targets];
      for (let start = 0; start < entries.length; start += MOST) {
        void this._send(file, entries.slice(start, start + MOST));
      }
    }
  }

  private async _send(
    file: string | null,
    entries: [string, ((found: ResolvedTarget | null) => void)[]][]
  ): Promise<void> {
    let found: ResolvedTarget[] = [];
    try {
      found = await this._client().resolve(
        file,
        entries.map(([target]) => target)
      );
    } catch {
      for (const [target] of entries) {
        this._known.delete(`${file ?? ''}\0${target}`); // the next one who asks tries again
      }
    }
    entries.forEach(([, waiting], index) => waiting.forEach(resolve => resolve(found[index] ?? null)));
  }

  private _client(): Client {
    return this._kb.client;
  }

  private _forget(): void {
    this._known.clear();
    this._forgotten.emit();
  }

  private _vault: string | undefined;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private readonly _known = new Map<string, Promise<ResolvedTarget | null>>();
  private readonly _waiting = new Map<string | null, Waiting>();
  private readonly _forgotten = new Signal<this, void>(this);
}
