// Which sections of the note panel are open and how high they are; kept between visits.
import type { IStateDB } from '@jupyterlab/statedb';
import { Signal } from '@lumino/signaling';

const KEY = 'jupyter-kb:note-panel';
/** The least height of a section in CSS pixels. */
const LEAST = 48;

export type SectionId = 'outline' | 'incoming' | 'outgoing' | 'broken' | 'properties' | 'mentions';

const OPEN: Record<SectionId, boolean> = {
  outline: true,
  incoming: true,
  outgoing: false,
  broken: true,
  properties: true,
  mentions: false
};

export class NoteLayout {
  constructor(private readonly _state: IStateDB | null) {}

  readonly changed = new Signal<this, void>(this);

  /** Read what was kept; without a state database, or with one that cannot be read, the defaults stay. */
  async restore(): Promise<void> {
    const kept = (await this._state?.fetch(KEY).catch(() => undefined)) as
      | { open?: Partial<Record<SectionId, boolean>>; heights?: Partial<Record<SectionId, number>> }
      | undefined;
    this._open = { ...OPEN, ...kept?.open };
    this._heights = new Map(Object.entries(kept?.heights ?? {}) as [SectionId, number][]);
    this.changed.emit();
  }

  /** A section without anything is closed until it is opened by hand. */
  isOpen(id: SectionId, empty: boolean): boolean {
    return empty ? this._peeked.has(id) : this._open[id];
  }

  toggle(id: SectionId, empty: boolean): void {
    if (empty) {
      if (!this._peeked.delete(id)) {
        this._peeked.add(id);
      }
    } else {
      this._open[id] = !this._open[id];
      this._keep();
    }
    this.changed.emit();
  }

  /** Another note is shown: what has nothing is closed again, and mentions are not looked for. */
  forNote(): void {
    this._peeked.clear();
    this._open.mentions = false;
    this.changed.emit();
  }

  /** In CSS pixels, or null for as high as the content wants. */
  height(id: SectionId): number | null {
    return this._heights.get(id) ?? null;
  }

  resize(id: SectionId, height: number | null): void {
    if (height === null) {
      this._heights.delete(id);
    } else {
      this._heights.set(id, Math.max(LEAST, Math.round(height)));
    }
    this._keep();
    this.changed.emit();
  }

  private _keep(): void {
    void this._state?.save(KEY, {
      open: { ...this._open, mentions: false },
      heights: Object.fromEntries(this._heights)
    });
  }

  private _open: Record<SectionId, boolean> = { ...OPEN };
  private _heights = new Map<SectionId, number>();
  private readonly _peeked = new Set<SectionId>();
}
