// Unsaved text in the browser's storage, so that a crash or a reload loses nothing. Never throws. No DOM.

/** What somebody typed and did not save. */
export interface Draft {
  /** Of the editor that wrote it: a new editor offers it and does not write over it. */
  id: string;
  /** As the editor had it. */
  text: string;
  /** What it was made from, as the server gave it, with its hash. */
  base: string;
  hash: string;
  /** Milliseconds since 1970. */
  time: number;
}

const PREFIX = 'jupyter-kb:draft:';

export class Drafts {
  /** `storage` may throw, and so may whatever it returns: browsers forbid it, and it can be full. */
  constructor(
    private readonly _storage: () => Storage,
    private readonly _vault: string
  ) {}

  /** Drafts of a section (of the whole note for null), the newest first. */
  list(file: string, headingPath: string | null): Draft[] {
    const key = this._key(file, headingPath);
    return this._read(key).sort((a, b) => b.time - a.time);
  }

  /** Keep a draft in place of an older one of the same id. False where it could be kept in memory only. */
  put(file: string, headingPath: string | null, draft: Draft): boolean {
    const key = this._key(file, headingPath);
    return this._write(key, [...this._read(key).filter(other => other.id !== draft.id), draft]);
  }

  drop(file: string, headingPath: string | null, id: string): void {
    const key = this._key(file, headingPath);
    const left = this._read(key);
    if (left.some(draft => draft.id === id)) {
      this._write(
        key,
        left.filter(draft => draft.id !== id)
      );
    }
  }

  private _key(file: string, headingPath: string | null): string {
    return PREFIX + JSON.stringify([this._vault, file, headingPath]);
  }

  private _read(key: string): Draft[] {
    const held = this._memory.get(key);
    if (held) {
      return [...held];
    }
    try {
      const found: unknown = JSON.parse(this._storage().getItem(key) ?? '[]');
      return Array.isArray(found) ? found.filter(isDraft) : [];
    } catch {
      return [];
    }
  }

  private _write(key: string, drafts: Draft[]): boolean {
    try {
      const storage = this._storage();
      if (drafts.length) {
        storage.setItem(key, JSON.stringify(drafts));
      } else {
        storage.removeItem(key);
      }
      this._memory.delete(key);
      return true;
    } catch {
      this._memory.set(key, drafts);
      return false;
    }
  }

  private readonly _memory = new Map<string, Draft[]>();
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Draft | null;
  return (
    typeof draft?.id === 'string' &&
    typeof draft.text === 'string' &&
    typeof draft.base === 'string' &&
    typeof draft.hash === 'string' &&
    typeof draft.time === 'number'
  );
}
