// How a section that is being edited stands, in one word. No DOM.

export type Status =
  | 'loading'
  | 'failed'
  | 'clean'
  | 'dirty'
  | 'saving'
  | 'saved'
  | 'updated'
  | 'changed' // elsewhere, and here too
  | 'refused'
  | 'gone'
  | 'unsaved' // a save failed, see `problem`
  | 'readonly';

/** What the word depends on; the first that holds says it. */
export interface Standing {
  failure: unknown;
  loaded: boolean;
  gone: boolean;
  readOnly: boolean;
  slow: boolean;
  merge: unknown;
  problem: unknown;
  dirty: boolean;
  theirs: unknown;
  updatedAt: number;
  savedAt: number;
}

export function statusOf(now: Standing): Status {
  if (now.failure || !now.loaded) {
    return now.failure ? 'failed' : 'loading';
  }
  if (now.gone || now.readOnly) {
    return now.gone ? 'gone' : 'readonly';
  }
  if (now.slow || now.merge) {
    return now.slow ? 'saving' : 'refused';
  }
  if (now.problem) {
    return 'unsaved';
  }
  if (now.dirty) {
    return now.theirs ? 'changed' : 'dirty';
  }
  return now.updatedAt ? 'updated' : now.savedAt ? 'saved' : 'clean';
}
