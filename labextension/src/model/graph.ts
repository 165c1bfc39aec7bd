// The graph: around which note and how far, what is shown of it, where each note stands, which one is looked at. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';

import type { VaultEvent } from '../api/events';
import { ApiError } from '../api/request';
import type { IKnowledgeBase } from '../tokens';
import { folderOf } from '../ui/text';
import { around, comparable, MOST, type Node, type Picture, whole } from './graphData';
import { type Details, detailsOf } from './graphDetails';
import { begun, kept, type Layout, nearOf, placed, type Point } from './graphPlaces';

export type Steps = 1 | 2 | 3;
export type Colouring = 'none' | 'folder' | 'tag';
/** `file` null: the whole vault. */
export interface Centre {
  file: string | null;
  steps: Steps;
}
const NOTHING: Picture = { nodes: new Map(), lines: [], similar: [], total: 0, beyond: null };
/** Milliseconds that a note has to be looked at before its details are read. */
const DETAILS_AFTER = 120;
const REFRESH_EVERY = 1000;

export class GraphModel {
  constructor(
    private readonly _kb: IKnowledgeBase,
    private readonly _layout: Layout
  ) {
    _kb.events.connect(this._hear, this);
    _kb.changed.connect(this._vaultMayBeAnother, this);
    this._vault = _kb.state === 'ready' ? (_kb.vault?.name ?? null) : null;
  }

  centre: Centre = { file: null, steps: 2 };
  picture: Picture = NOTHING;
  /** Where each note stands, in units of the layout. */
  places: ReadonlyMap<string, Point> = new Map();
  /** Another number: other notes or places, to be drawn anew. */
  revision = 0;
  /** Another number: another picture altogether, to be fitted into the view. */
  scene = 0;
  pending = false;
  /** How much of the whole vault has been read, 0 to 1. */
  progress: number | null = null;
  problem: ApiError | null = null;
  filter = '';
  colouring: Colouring = 'none';
  /** The note that the keyboard is at. */
  selected: string | null = null;
  /** The note under the pointer. */
  hovered: string | null = null;
  details: Details | null = null;

  get changed(): ISignal<this, void> {
    return this._changed;
  }
  get title(): string {
    const { file } = this.centre;
    return file === null ? '' : (this.picture.nodes.get(file)?.title ?? nameOf(file));
  }
  get canBack(): boolean {
    return this._at > 0;
  }
  get canForward(): boolean {
    return this._at < this._history.length - 1;
  }
  /** The note whose links are lit. */
  get lit(): string | null {
    return this.hovered ?? this.selected;
  }
  /** The note that is told about at the side. */
  get shown(): Node | null {
    return this.picture.nodes.get(this.lit ?? this.centre.file ?? '') ?? null;
  }
  /** Numbers for the foot: notes, links and missing notes of what is shown. */
  get counts(): { notes: number; links: number; missing: number } {
    const missing = [...this.picture.nodes.values()].filter(node => node.missing).length;
    return { notes: this.picture.nodes.size - missing, links: this.picture.lines.length, missing };
  }

  /** Whether a note's name has the text of the filter. */
  passes(node: Node): boolean {
    return !this.filter || node.title.toLocaleLowerCase().includes(this.filter.toLocaleLowerCase());
  }

  neighbours(file: string): ReadonlySet<string> {
    return this._near.get(file) ?? NO_ONE;
  }

  // ── where to ──────────────────────────────────────────────────────────────────────────────────

  /** Put a note in the centre, or show the whole vault. */
  go(file: string | null): Promise<void> {
    if (this._history.length && file === this.centre.file) {
      return this._loading;
    }
    this._history = [...this._history.slice(0, this._at + 1), file];
    this._at = this._history.length - 1;
    return this._show(file);
  }

  back(): void {
    if (this.canBack) {
      this._at -= 1;
      void this._show(this._history[this._at] ?? null);
    }
  }

  forward(): void {
    if (this.canForward) {
      this._at += 1;
      void this._show(this._history[this._at] ?? null);
    }
  }

  setSteps(steps: Steps): void {
    if (steps !== this.centre.steps) {
      this.centre = { ...this.centre, steps };
      void this._load('other');
    }
  }

  again(): Promise<void> {
    return this._load('other');
  }

  // ── what is looked at ─────────────────────────────────────────────────────────────────────────

  setFilter(text: string): void {
    this.filter = text;
    this.revision += 1;
    this._changed.emit();
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    this.revision += 1;
    this._changed.emit();
  }

  select(file: string | null): void {
    if (file !== this.selected) {
      this.selected = file;
      this._looked();
    }
  }

  hover(file: string | null): void {
    if (file !== this.hovered) {
      this.hovered = file;
      this._looked();
    }
  }

  /** Select the neighbour that lies most in a direction (y grows upwards). Whether there is one. */
  step(dx: number, dy: number): boolean {
    const from = this.selected ?? this.centre.file ?? this.picture.nodes.keys().next().value ?? null;
    const here = from === null ? undefined : this.places.get(from);
    if (from === null || !here) {
      return false;
    }
    let best: { file: string; cost: number } | null = null;
    for (const file of [...this.neighbours(from), ...this._like(from)]) {
      const there = this.places.get(file);
      const node = this.picture.nodes.get(file);
      if (there && node && this.passes(node)) {
        const [x, y] = [there.x - here.x, there.y - here.y];
        const ahead = (x * dx + y * dy) / (Math.hypot(x, y) || 1);
        const cost = Math.hypot(x, y) * (2 - ahead);
        if (ahead > 0.3 && (!best || cost < best.cost)) {
          best = { file, cost };
        }
      }
    }
    this.select(best?.file ?? from);
    return best !== null;
  }

  show(): void {
    this._visible = true;
    if (this._stale) {
      this._stale = false;
      void this._load('same');
    }
  }

  hide(): void {
    this._visible = false;
  }

  dispose(): void {
    this._abort?.abort();
    this._kb.events.disconnect(this._hear, this);
    this._kb.changed.disconnect(this._vaultMayBeAnother, this);
    if (this._timer !== null) {
      clearTimeout(this._timer);
    }
    if (this._refreshing !== null) {
      clearTimeout(this._refreshing);
    }
    Signal.clearData(this);
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────

  private _show(file: string | null): Promise<void> {
    this.centre = { ...this.centre, file };
    this.filter = '';
    this.selected = this.hovered = this.details = null;
    return this._load('other');
  }

  /** `other`: another picture; `same`: the same one may have changed, its notes stay where they are. */
  private _load(what: 'other' | 'same'): Promise<void> {
    this._abort?.abort();
    const abort = (this._abort = new AbortController());
    this._loading = this._read(what, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) {
        this.pending = false;
        this.problem = error instanceof ApiError ? error : new ApiError('unexpected', String(error), 0);
        this._changed.emit();
      }
    });
    return this._loading;
  }

  private async _read(what: 'other' | 'same', signal: AbortSignal): Promise<void> {
    const { file, steps } = this.centre;
    if (what === 'other') {
      this.pending = true;
      this.progress = null;
      this.problem = null;
      this._changed.emit();
    }
    if (this._kb.state !== 'ready') {
      return; // read once the vault is there
    }
    const { client } = this._kb;
    const picture =
      file === null
        ? await whole(client, signal, (done, total) => {
            if (what === 'other') {
              this.progress = total ? done / total : null;
              this._changed.emit();
            }
          })
        : await around(client, file, steps, comparable(this._kb), signal);
    if (signal.aborted) {
      return;
    }
    if (what === 'same') {
      this._take(picture, kept(picture, this.places));
      return;
    }
    if (file === null) {
      this.scene += 1;
      this._take(picture, begun(picture)); // to be moved about in while it is laid out
    }
    const places = await placed(picture, file, this._layout);
    if (signal.aborted) {
      return;
    }
    this.pending = false;
    this.scene += file === null ? 0 : 1;
    this._take(picture, places);
  }

  private _take(picture: Picture, places: ReadonlyMap<string, Point>): void {
    this.picture = picture;
    this.places = places;
    this._near = nearOf(picture.lines);
    this.selected = this.selected !== null && picture.nodes.has(this.selected) ? this.selected : null;
    this.hovered = null;
    this.problem = null;
    this.revision += 1;
    this._looked();
  }

  private _like(file: string): string[] {
    return this.picture.similar.flatMap(({ one, other }) =>
      one === file ? [other] : other === file ? [one] : []
    );
  }

  private _looked(): void {
    this._changed.emit();
    const node = this.shown;
    if (this._timer !== null) {
      clearTimeout(this._timer);
      this._timer = null;
    }
    if (node && node.file !== this.details?.file) {
      this._timer = setTimeout(() => {
        this._timer = null;
        void this._readDetails(node);
      }, DETAILS_AFTER);
    }
  }

  private async _readDetails(node: Node): Promise<void> {
    const details = await detailsOf(this._kb.client, node);
    if (this.shown?.file === node.file) {
      this.details = details;
      this._changed.emit();
    }
  }

  // ── what happens elsewhere ────────────────────────────────────────────────────────────────────

  private _hear(_: unknown, event: VaultEvent): void {
    if (event.kind !== 'index_updated' || !this._history.length) {
      return;
    }
    this._stale = true;
    this._refreshing ??= setTimeout(() => {
      this._refreshing = null;
      if (this._visible && this._stale && !this.pending) {
        this._stale = false;
        this.details = null;
        void this._load('same');
      }
    }, REFRESH_EVERY);
  }

  private _vaultMayBeAnother(): void {
    const vault = this._kb.state === 'ready' ? (this._kb.vault?.name ?? null) : null;
    if (vault === null || vault === this._vault) {
      return;
    }
    const first = this._vault === null;
    this._vault = vault;
    if (!this._history.length) {
      return;
    }
    if (!first) {
      this._history = [];
      this._at = -1;
      this.picture = NOTHING;
      this.revision += 1;
      void this.go(null);
    } else {
      void this._load('other');
    }
  }

  private _vault: string | null;
  private _history: (string | null)[] = [];
  private _at = -1;
  private _near: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  private _visible = false;
  private _stale = false;
  private _abort: AbortController | null = null;
  private _loading: Promise<void> = Promise.resolve();
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _refreshing: ReturnType<typeof setTimeout> | null = null;
  private readonly _changed = new Signal<this, void>(this);
}

const NO_ONE: ReadonlySet<string> = new Set();

/** A note's name: the last part of its path without `.md`. */
function nameOf(file: string): string {
  return file.slice(folderOf(file).length).replace(/^\//, '').replace(/\.md$/i, '');
}

/** Whether notes were left out because there are too many. */
export function isCut(picture: Picture): boolean {
  return picture.beyond !== null && picture.total > MOST;
}
