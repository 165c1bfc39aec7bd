// The last searches of a vault, kept over reloads. No DOM.
import type { IStateDB } from '@jupyterlab/statedb';
import { type ISignal, Signal } from '@lumino/signaling';

export const MOST_RECENT = 8;

export class RecentSearches {
  /** Without a database they are kept until the page is left. */
  constructor(private readonly _database: Pick<IStateDB, 'fetch' | 'save'> | null) {}

  get list(): readonly string[] {
    return this._list;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Show those of a vault. */
  async use(vault: string): Promise<void> {
    this._vault = vault;
    this._set([]);
    const stored: unknown = await this._database?.fetch(this._key(vault));
    if (this._vault === vault && Array.isArray(stored)) {
      const texts = stored.filter((item): item is string => typeof item === 'string');
      this._set([...new Set([...this._list, ...texts])].slice(0, MOST_RECENT));
    }
  }

  add(query: string): void {
    const text = query.trim();
    if (text && text !== this._list[0]) {
      this._set([text, ...this._list.filter(other => other !== text)].slice(0, MOST_RECENT));
      this._save();
    }
  }

  clear(): void {
    this._set([]);
    this._save();
  }

  private _save(): void {
    if (this._vault !== null) {
      void this._database?.save(this._key(this._vault), [...this._list]);
    }
  }

  private _set(list: readonly string[]): void {
    this._list = list;
    this._changed.emit();
  }

  private _key(vault: string): string {
    return `jupyter-kb:recent-searches:${vault}`;
  }

  private _vault: string | null = null;
  private _list: readonly string[] = [];
  private readonly _changed = new Signal<this, void>(this);
}
