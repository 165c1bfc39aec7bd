// Keeps what one editor's reader typed as a draft, and knows the drafts of editors before it. No DOM.
import { UUID } from '@lumino/coreutils';

import type { Draft, Drafts } from './draft';

/** Milliseconds between the last key and the storing. */
const AFTER = 500;

/** What is to be kept: null where there is nothing that is not saved. */
export type Unsaved = Pick<Draft, 'text' | 'base' | 'hash'> | null;

export class DraftKeeper {
  constructor(
    private readonly _drafts: Drafts,
    private readonly _file: string,
    private _headingPath: string | null,
    private readonly _unsaved: () => Unsaved
  ) {}

  /** A draft of an earlier editor, not yet taken or dropped. */
  offered: Draft | null = null;
  /** The draft could not be stored; it is in memory only. */
  unsafe = false;

  /** Store in a moment. */
  later(): void {
    this._stop();
    this._timer = setTimeout(() => this.now(), AFTER);
  }

  /** Store what is not saved, or forget the draft where nothing is. */
  now(): void {
    this._stop();
    const unsaved = this._unsaved();
    if (unsaved) {
      const draft = { ...unsaved, id: this._id, time: Date.now() };
      this.unsafe = !this._drafts.put(this._file, this._headingPath, draft);
    } else {
      this.unsafe = false;
      this._drafts.drop(this._file, this._headingPath, this._id);
    }
  }

  /** The section has another name. */
  follow(headingPath: string | null): void {
    if (headingPath !== this._headingPath) {
      this._drafts.drop(this._file, this._headingPath, this._id);
      this._headingPath = headingPath;
      this.now();
    }
  }

  /** Look for a draft of an earlier editor; those that are what is on the disk by now are dropped. */
  offer(saved: string): void {
    const others = this._drafts.list(this._file, this._headingPath).filter(draft => draft.id !== this._id);
    others
      .filter(draft => draft.text === saved)
      .forEach(draft => this._drafts.drop(this._file, this._headingPath, draft.id));
    this.offered = others.find(draft => draft.text !== saved) ?? null;
  }

  /** Drop the draft that is offered, and offer an older one if there is any. */
  dropOffered(saved: string): void {
    if (this.offered) {
      this._drafts.drop(this._file, this._headingPath, this.offered.id);
      this.offer(saved);
    }
  }

  /** Keep what is not saved beside what comes now: it is offered like that of an earlier editor. */
  aside(): void {
    const unsaved = this._unsaved();
    if (unsaved) {
      const draft = { ...unsaved, id: UUID.uuid4(), time: Date.now() };
      this._drafts.put(this._file, this._headingPath, draft);
    }
  }

  /** The page or the editor goes: what was to be stored in a moment is stored now. */
  flush(): void {
    if (this._timer !== undefined) {
      this.now();
    }
  }

  private _stop(): void {
    clearTimeout(this._timer);
    this._timer = undefined;
  }

  private _timer: ReturnType<typeof setTimeout> | undefined;
  private readonly _id = UUID.uuid4();
}
