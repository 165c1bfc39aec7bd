// Which notes of a list are folded, and of which all hits are listed. No DOM.
export class Folding {
  constructor(private readonly _changed: () => void) {}

  folded: ReadonlySet<string> = new Set();
  whole: ReadonlySet<string> = new Set();

  fold(file: string, folded: boolean): void {
    const set = new Set(this.folded);
    if (folded) {
      set.add(file);
    } else {
      set.delete(file);
    }
    this.folded = set;
    this._changed();
  }

  /** Fold these notes and no other. */
  foldAll(files: readonly string[]): void {
    this.folded = new Set(files);
    this._changed();
  }

  /** List all hits of a note. */
  showAll(file: string): void {
    this.whole = new Set([...this.whole, file]);
    this._changed();
  }

  reset(): void {
    this.folded = this.whole = new Set();
  }
}
