// What is done with a document of JupyterLab's when its note changed on disk: read anew, or said. No DOM.

/** A note as JupyterLab has it open. */
export interface OpenDocument {
  /** It has text that is not saved. */
  readonly dirty: boolean;
  /** What a room holds is the note itself: the server sees to it. */
  readonly collaborative: boolean;
  readonly closed: boolean;
  /** The hash of the text that was loaded or saved last; undefined where the server gives none. */
  readonly loaded: string | undefined;
  /** The hash of the file as it is now, once a save that is under way is done; null where there is no file any more. */
  current(): Promise<string | null>;
  /** Take the file's text, cursor and place kept; false where somebody typed meanwhile, whose text is kept then. */
  reload(): Promise<boolean>;
}

export interface Warnings<T extends OpenDocument> {
  /** The document has unsaved text, and its file another one than it was loaded from. */
  warn(document: T): void;
  /** That is settled. */
  settle(document: T): void;
}

/** Looks after open documents, each by itself, one look after the other. */
export class ChangedDocuments<T extends OpenDocument> {
  constructor(private readonly _warnings: Warnings<T>) {}

  /** The files of these documents may have changed. */
  async told(documents: Iterable<T>): Promise<void> {
    await Promise.all(Array.from(documents, document => this._told(document)));
  }

  /** The document was saved or read anew by somebody else. */
  settled(document: T): void {
    if (this._warned.delete(document)) {
      this._warnings.settle(document);
    }
  }

  private async _told(document: T): Promise<void> {
    if (this._looking.has(document)) {
      this._again.add(document); // what is being found out may be out of date
      return;
    }
    this._looking.add(document);
    try {
      do {
        this._again.delete(document);
        await this._look(document);
      } while (this._again.has(document));
    } finally {
      this._looking.delete(document);
      this._again.delete(document);
    }
  }

  private async _look(document: T): Promise<void> {
    if (document.collaborative || document.closed) {
      return;
    }
    const hash = await document.current();
    if (document.closed || hash === null) {
      return;
    }
    if (hash === document.loaded) {
      this.settled(document); // its own save, or the change was taken back
      return;
    }
    if (!document.dirty && (await document.reload())) {
      this.settled(document);
    } else if (!document.closed && this._warned.get(document) !== hash) {
      this._warned.set(document, hash);
      this._warnings.warn(document);
    }
  }

  private readonly _looking = new Set<T>();
  private readonly _again = new Set<T>();
  /** For which text on disk a document was warned of. */
  private readonly _warned = new Map<T, string>();
}

/** Where a place in one text is in another one that differs in one stretch, as far as it is still there. */
export function movedPlace(before: string, after: string): (place: number) => number {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) {
    start++;
  }
  let tail = 0;
  while (tail < shorter - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail++;
  }
  const shift = after.length - before.length;
  return place =>
    place <= start
      ? place
      : place >= before.length - tail
        ? place + shift
        : Math.min(place, after.length - tail);
}
