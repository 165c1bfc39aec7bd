// Requests of which only the newest counts: it ends the one before, and what comes too late is dropped. No DOM.
import { ApiError } from '../api/request';

/** Milliseconds until a request is said to be going on, and until it is given up. */
export const SLOW = 150;
export const TIMEOUT = 10_000;

export class Latest {
  /** `changed` is called whenever `pending` or `slow` is another. */
  constructor(private readonly _changed: () => void) {}

  /** An answer is awaited; `slow` once that has taken a moment. Both are false for what is asked silently. */
  pending = false;
  slow = false;

  /** Ends what is under way when it is aborted. */
  get signal(): AbortSignal | undefined {
    return this._abort?.signal;
  }

  /** Grows with each request and each `cancel`. */
  get number(): number {
    return this._number;
  }

  /** Ask. `answered` and `failed` are not called when another request was made meanwhile, or this one was cancelled. */
  async ask<T>(
    request: (signal: AbortSignal) => Promise<T>,
    answered: (answer: T) => void,
    failed: (problem: ApiError) => void,
    silent = false
  ): Promise<void> {
    this.cancel();
    const number = this._number;
    const abort = (this._abort = new AbortController());
    let late = false;
    const slow = setTimeout(() => {
      if (number === this._number) {
        this.slow = this.pending;
        this._changed();
      }
    }, SLOW);
    const timeout = setTimeout(() => {
      late = true;
      abort.abort();
    }, TIMEOUT);
    this.pending = !silent;
    this._changed();
    try {
      const answer = await request(abort.signal);
      if (number === this._number) {
        answered(answer);
      }
    } catch (error) {
      if (number === this._number) {
        failed(late ? new ApiError('timeout', 'no answer', 0) : asApiError(error));
      }
    } finally {
      clearTimeout(slow);
      clearTimeout(timeout);
      if (number === this._number) {
        this.pending = this.slow = false;
        this._changed();
      }
    }
  }

  /** End what is under way. */
  cancel(): void {
    this._number++;
    this._abort?.abort();
    this.pending = this.slow = false;
  }

  private _number = 0;
  private _abort: AbortController | null = null;
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError('unexpected', String(error), 0);
}
