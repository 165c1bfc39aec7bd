// The search of the panel: when it is run, which answer counts, what stays as it was. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';

import type { VaultEvent } from '../api/events';
import type { ApiError } from '../api/request';
import type { Facets, Hit, SearchResults } from '../api/types';
import type { IKnowledgeBase } from '../tokens';
import { type Filter, keyOf } from './filters';
import { foundNotes } from './found';
import { Folding } from './folding';
import { bodyOf, isEnough, type Mode, type Sort } from './query';
import type { RecentSearches } from './recent';
import { Latest } from './latest';
import { type Found, type Group, grouped, idOf } from './results';

/** Hits of one page. */
export const PAGE = 50;
/** The least milliseconds between two searches that changes of notes cause. */
const REFRESH_EVERY = 1000;
/** Hits that one answer is asked for at most. */
const MOST = 500;

export class SearchModel {
  constructor(
    private readonly _kb: IKnowledgeBase,
    readonly recent: RecentSearches
  ) {
    _kb.changed.connect(this._vaultMayBeAnother, this);
    _kb.statusChanged.connect(this._vectorsMayBeComplete, this);
    _kb.events.connect(this._hear, this);
    this._vaultMayBeAnother();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** An answer is awaited; `slow` once that has taken a moment. */
  get pending(): boolean {
    return this._asking.pending;
  }
  get slow(): boolean {
    return this._asking.slow;
  }

  query = '';
  mode: Mode = 'hybrid';
  sort: Sort = 'rank';
  filters: readonly Filter[] = [];
  /** What is listed; stays while the next answer is awaited. Null: nothing is asked. */
  found: Found | null = null;
  /** Why the last search gave no answer. */
  problem: ApiError | null = null;
  facets: Facets | null = null;
  /** Hits without the filters, where with them there is none. */
  unfiltered: number | null = null;
  readonly folding = new Folding(() => this._changed.emit());
  /** The row that the keyboard is at, and the hit that was opened last. */
  selected: string | null = null;
  opened: string | null = null;

  // ── what the reader does ──────────────────────────────────────────────────────────────────────

  /** The text is another. While it is `composing` nothing is searched. */
  type(text: string, composing = false): void {
    if (text === this.query && !composing) {
      return;
    }
    this.query = text;
    this._stopWaiting();
    if (!composing) {
      if (this._asks) {
        this._timer = setTimeout(() => void this._run('new'), this._kb.settings.searchDelay);
      } else {
        this._drop();
      }
    }
    this._changed.emit();
  }

  /** Characters have been composed: `text` is the whole query. */
  composed(text: string): void {
    this.query = text === this.query ? '' : this.query; // so that it counts as typed
    this.type(text);
  }

  /** Search for what is there now, without waiting. Whether there was anything that had not been asked yet. */
  now(): boolean {
    const waiting = this._timer !== null || (this.found?.query !== this.query && !this.pending);
    this._stopWaiting();
    if (!this._asks) {
      this._drop();
      this._changed.emit();
      return false;
    }
    if (waiting) {
      void this._run('new');
    }
    return waiting;
  }

  /** Fill the field and search. */
  ask(query: string, mode: Mode = this.mode): void {
    this.query = query;
    this.mode = mode;
    this._again();
  }

  setMode(mode: Mode): void {
    if (mode !== this.mode) {
      this.mode = mode;
      this._again();
    }
  }

  setSort(sort: Sort): void {
    if (sort !== this.sort) {
      this.sort = sort;
      this._again();
    }
  }

  addFilter(filter: Filter): void {
    const key = keyOf(filter);
    this.setFilters([...this.filters.filter(other => keyOf(other) !== key), filter]);
  }

  removeFilter(filter: Filter): void {
    this.setFilters(this.filters.filter(other => other !== filter));
  }

  setFilters(filters: readonly Filter[]): void {
    this.filters = filters;
    this._again();
  }

  /** Ask again for what is listed, and read the counts anew. */
  refresh(): void {
    void this._readFacets();
    this._again();
  }

  /** Ask for the next page. */
  more(): void {
    if (this.found?.hasMore && !this.pending && this.found.hits.length < MOST) {
      void this._run('more');
    }
  }

  select(id: string | null): void {
    this.selected = id;
    this._changed.emit();
  }

  /** A hit was opened: its query is worth keeping. */
  open(hit: Hit): void {
    this.opened = idOf(hit);
    this.remember();
    this._changed.emit();
  }

  /** Keep the query among the last searches. */
  remember(): void {
    if (isEnough(this.query)) {
      this.recent.add(this.query);
    }
  }

  /** Fold all notes, or unfold all. The row that was selected is, if it is hidden now, its note. */
  foldAll(folded: boolean): void {
    const within = this.selected?.split('\n')[0];
    if (folded && within !== undefined) {
      this.selected = within;
    }
    this.folding.foldAll(folded ? (this.found?.groups ?? []).map(group => group.file) : []);
  }

  /** List all hits of a note. The selection goes to the first that was not listed. */
  showAll(group: Group, first: Hit | undefined): void {
    if (first) {
      this.selected = idOf(first);
    }
    this.folding.showAll(group.file);
  }

  // ── being looked at ───────────────────────────────────────────────────────────────────────────

  show(): void {
    this._visible = true;
    if (!this.facets || this._stale) {
      void this._readFacets();
    }
    if (this._asks && this.found?.query !== this.query) {
      void this._run('new'); // what was under way when the panel was hidden
    } else if (this._stale && this.found) {
      void this._run('silent');
    }
    this._stale = false;
  }

  hide(): void {
    this._visible = false;
    this._stopWaiting();
    this._asking.cancel();
  }

  dispose(): void {
    this.hide();
    this._kb.changed.disconnect(this._vaultMayBeAnother, this);
    this._kb.statusChanged.disconnect(this._vectorsMayBeComplete, this);
    this._kb.events.disconnect(this._hear, this);
    Signal.clearData(this);
  }

  // ── asking ────────────────────────────────────────────────────────────────────────────────────

  /** Whether there is anything to be asked: a text that is long enough, or filters alone. */
  private get _asks(): boolean {
    return isEnough(this.query) || (!this.query.trim() && this.filters.length > 0);
  }

  private _again(): void {
    this._stopWaiting();
    if (this._asks) {
      void this._run('new');
    } else {
      this._drop();
      this._changed.emit();
    }
  }

  /** `new`: another question; `silent`: the same one, without showing that; `more`: the next page. */
  private async _run(kind: 'new' | 'silent' | 'more'): Promise<void> {
    this._stopWaiting();
    if (this._kb.state !== 'ready') {
      return;
    }
    const { query, mode, filters } = this;
    const client = this._kb.client;
    const asked = bodyOf(query, mode, filters, this.sort);
    const before = kind === 'more' ? (this.found?.hits ?? []) : [];
    const limit = kind === 'silent' ? Math.min(Math.max(PAGE, this.found?.hits.length ?? 0), MOST) : PAGE;
    await this._asking.ask(
      signal => client.search({ ...asked, limit, offset: before.length }, signal),
      answer => this._take(answer, before, { query, mode, filters }, kind),
      problem => {
        if (kind === 'new') {
          this.problem = problem;
        }
      },
      kind === 'silent'
    );
  }

  private _take(
    answer: SearchResults,
    before: readonly Hit[],
    asked: Pick<Found, 'query' | 'mode' | 'filters'>,
    kind: 'new' | 'silent' | 'more'
  ): void {
    const hits = [...before, ...answer.hits];
    const groups = grouped(hits);
    const another = kind === 'new' && (this.found?.query !== asked.query || this.found.mode !== asked.mode);
    this.found = {
      ...asked,
      hits,
      groups,
      total: answer.total,
      notes: answer.notes ?? groups.length,
      hasMore: answer.has_more && hits.length < MOST,
      note: answer.note,
      pending: answer.pending,
      indexing: answer.indexing
    };
    this.problem = null;
    foundNotes.set(groups.map(group => group.file));
    if (another) {
      this.folding.reset();
      this.opened = null;
      this.selected = null;
    }
    this.unfiltered = null;
    if (!hits.length && asked.filters.length && asked.query.trim()) {
      void this._countWithoutFilters();
    }
  }

  private async _countWithoutFilters(): Promise<void> {
    const { number, signal } = this._asking;
    try {
      const body = { query: this.query, mode: this.mode, limit: 1, wait: 0 };
      const answer = await this._kb.client.search(body, signal);
      if (number === this._asking.number) {
        this.unfiltered = answer.total;
        this._changed.emit();
      }
    } catch {
      // the button is offered without a number
    }
  }

  private async _readFacets(): Promise<void> {
    if (this._kb.state !== 'ready') {
      return;
    }
    const client = this._kb.client;
    try {
      const facets = await client.facets();
      if (this._kb.state === 'ready' && this._kb.client === client) {
        this.facets = facets;
        this._changed.emit();
      }
    } catch {
      // folders and the filter menu stay as they were
    }
  }

  /** Nothing is asked any more. */
  private _drop(): void {
    this._stopWaiting();
    this._asking.cancel();
    this.found = this.problem = this.opened = this.selected = this.unfiltered = null;
    foundNotes.set([]);
  }

  private _stopWaiting(): void {
    if (this._timer !== null) {
      clearTimeout(this._timer);
      this._timer = null;
    }
  }

  // ── what happens elsewhere ────────────────────────────────────────────────────────────────────

  private _vaultMayBeAnother(): void {
    const vault = this._kb.state === 'ready' ? (this._kb.vault?.name ?? null) : null;
    if (vault !== null && vault !== this._vault) {
      this._vault = vault;
      this._drop();
      this.facets = null;
      this.filters = [];
      void this.recent.use(vault);
      if (this._visible) {
        void this._readFacets();
      }
      if (this._asks) {
        void this._run('new');
      }
    }
    this._changed.emit();
  }

  private _hear(_: unknown, event: VaultEvent): void {
    if (event.kind !== 'index_updated') {
      return;
    }
    this._stale = true;
    this._refreshTimer ??= setTimeout(() => {
      this._refreshTimer = null;
      if (this._visible && this._stale) {
        this._stale = false;
        void this._readFacets();
        if (this.found && !this.pending && this._timer === null) {
          void this._run('silent');
        }
      }
    }, REFRESH_EVERY);
  }

  private _vectorsMayBeComplete(): void {
    const model = this._kb.status?.model;
    if (this.found?.pending && model && model.embedded >= model.chunks && this._visible && !this.pending) {
      void this._run('silent');
    }
    this._changed.emit();
  }

  private _vault: string | null = null;
  private _visible = false;
  private _stale = false;
  private readonly _asking = new Latest(() => this._changed.emit());
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _refreshTimer: ReturnType<typeof setTimeout> | null = null;
  private readonly _changed = new Signal<this, void>(this);
}
