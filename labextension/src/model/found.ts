// The notes that the last search found: the search tells, the graph lights them up. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';

export class FoundNotes {
  get files(): ReadonlySet<string> {
    return this._files;
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What is listed now; nothing takes the light away. */
  set(files: Iterable<string>): void {
    const next = new Set(files);
    if (next.size !== this._files.size || [...next].some(file => !this._files.has(file))) {
      this._files = next;
      this._changed.emit();
    }
  }

  private _files: ReadonlySet<string> = new Set();
  private readonly _changed = new Signal<this, void>(this);
}

/** One for all panels. */
export const foundNotes = new FoundNotes();
