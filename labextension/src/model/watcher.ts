// When to look whether something is still what it was: not while hidden, not while it is being written. No DOM.

export class Watcher {
  /** `look` asks; what it heard counts only if `holds` is true then, else it is asked again. */
  constructor(private readonly _look: (holds: () => boolean) => Promise<void>) {}

  /** Hidden views do no work; what happened meanwhile is looked at when they are shown again. */
  set active(active: boolean) {
    this._active = active;
    this._catchUp();
  }

  /** Look now, or as soon as that makes sense. */
  async ask(): Promise<void> {
    this._stale = !this._active || this._held;
    if (this._stale) {
      return;
    }
    const epoch = this._epoch;
    const holds = (): boolean => epoch === this._epoch;
    await this._look(holds);
    if (!holds()) {
      await this.ask();
    }
  }

  /** Look once the writing that is under way has ended. */
  later(): void {
    this._stale = true;
  }

  /** Do `work`, a writing; answers to what was asked before its end say nothing. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this._epoch += 1;
    this._held = true;
    try {
      return await work();
    } finally {
      this._held = false;
      this._epoch += 1;
      queueMicrotask(() => this._catchUp());
    }
  }

  private _catchUp(): void {
    if (this._stale && this._active && !this._held) {
      void this.ask();
    }
  }

  private _active = true;
  private _stale = false;
  private _held = false;
  /** Counts the beginnings and ends of writings. */
  private _epoch = 0;
}
