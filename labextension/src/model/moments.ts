// When a section that is edited was read, saved and changed, and what is told for a while only. No DOM.

const SLOW_AFTER = 300; // milliseconds before saving is said to take time
const UPDATED_FOR = 5000; // and for which a reload is told

/** Moments are milliseconds since 1970, 0 for never. */
export abstract class Moments {
  readAt = 0;
  savedAt = 0;
  updatedAt = 0;
  /** When it changed elsewhere while there are edits here. */
  changedAt = 0;
  /** Saving takes time. */
  slow = false;

  protected abstract _tell(): void;

  /** The text was replaced by what is on the disk: told for a while. */
  protected _updated(): void {
    this.updatedAt = Date.now();
    clearTimeout(this._timer);
    this._timer = setTimeout(() => {
      this.updatedAt = 0;
      this.readAt = Date.now();
      this._tell();
    }, UPDATED_FOR);
  }

  /** Do what may take time, and tell so where it does. */
  protected async _patiently<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.slow = true;
      this._tell();
    }, SLOW_AFTER);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      this.slow = false;
      this._tell();
    }
  }

  protected _forget(): void {
    clearTimeout(this._timer);
  }

  private _timer: ReturnType<typeof setTimeout> | undefined;
}
