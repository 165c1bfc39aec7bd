// How far the indexes are, in a few words, told at most once a second. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';

import type { VaultEvent } from '../api/events';
import type { IKnowledgeBase } from '../tokens';
import { amount } from '../ui/text';

/** `off`: nothing answers; `none`: no notes folder; `reading`, `meaning`: an index is being made. */
export type Phase = 'starting' | 'off' | 'none' | 'reading' | 'meaning' | 'paused' | 'problems' | 'ready';

const EVERY = 1000;

export class Progress {
  constructor(private readonly _kb: IKnowledgeBase) {
    _kb.changed.connect(this._restart, this);
    _kb.statusChanged.connect(this._fresh, this);
    _kb.settingsChanged.connect(this._later, this);
    _kb.events.connect(this._hear, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get phase(): Phase {
    const { state, status, settings } = this._kb;
    if (state === 'missing' || state === 'failed') {
      return 'off';
    }
    if (state === 'empty') {
      return 'none';
    }
    if (state === 'starting' || !status) {
      return 'starting';
    }
    if (this.reading) {
      return 'reading';
    }
    const made = this.made;
    if (made && made.done < made.total) {
      if (this.paused) {
        return 'paused';
      }
      if (!status.model?.problem) {
        return 'meaning';
      }
    }
    return settings.showProblems && status.diagnostics > 0 ? 'problems' : 'ready';
  }

  /** Notes that have been read, of those that are new or changed; null while none are read. */
  get reading(): { done: number; total: number } | null {
    return this._reading;
  }

  /** Pieces of text that have a vector, and how many there are; null without search by meaning. */
  get made(): { done: number; total: number } | null {
    const model = this._kb.status?.model;
    return this._made ?? (model ? { done: model.embedded, total: model.chunks } : null);
  }

  get paused(): boolean {
    return this._paused ?? this._kb.status?.model?.paused ?? false;
  }

  /** Seconds until search by meaning is complete, or null where that is not known. */
  get secondsLeft(): number | null {
    return this._secondsLeft ?? this._kb.status?.model?.seconds_left ?? null;
  }

  /** How much of the vectors is there, in whole percent; 100 only when all are. */
  get percent(): number {
    const { done, total } = this.made ?? { done: 0, total: 0 };
    return total ? Math.floor((100 * done) / total) : 100;
  }

  /** What the status bar says. */
  get text(): string {
    return this._words(this.phase, this.reading?.done ?? 0, this.percent);
  }

  /** The widest text of this phase, so that its neighbours do not move while it counts. */
  get widest(): string {
    return this._words(this.phase, this.reading?.total ?? 0, 100);
  }

  async pause(paused: boolean): Promise<void> {
    await this._kb.client.pauseEmbedding(paused);
    this._paused = paused;
    this._later();
  }

  dispose(): void {
    this._kb.changed.disconnect(this._restart, this);
    this._kb.statusChanged.disconnect(this._fresh, this);
    this._kb.settingsChanged.disconnect(this._later, this);
    this._kb.events.disconnect(this._hear, this);
    if (this._timer !== null) {
      clearTimeout(this._timer);
    }
    Signal.clearData(this);
  }

  private _words(phase: Phase, done: number, percent: number): string {
    const { trans, status } = this._kb;
    const notes = trans._n('%2 note', '%2 notes', status?.notes ?? 0, amount(status?.notes ?? 0));
    const problems = status?.diagnostics ?? 0;
    return {
      starting: trans.__('Knowledge base'),
      off: trans.__('Knowledge base off'),
      none: trans.__('No notes folder'),
      reading: trans.__('Reading notes %1 of %2', amount(done), amount(this.reading?.total ?? 0)),
      meaning: trans.__('Meaning search %1 %', percent),
      paused: trans.__('Meaning search paused'),
      problems: `${notes} · ${trans._n('%2 problem', '%2 problems', problems, amount(problems))}`,
      ready: notes
    }[phase];
  }

  private _hear(_: unknown, event: VaultEvent): void {
    if (event.kind === 'index_progress') {
      this._reading = event.done < event.total ? { done: event.done, total: event.total } : null;
    } else if (event.kind === 'embedding_progress') {
      this._made = { done: event.embedded, total: event.total };
      this._secondsLeft = event.seconds_left;
      this._paused = event.paused;
    } else if (event.kind === 'index_updated') {
      this._reading = null;
    }
    this._later();
  }

  /** A status holds what events said before it was read. */
  private _fresh(): void {
    const indexing = this._kb.status?.indexing;
    this._reading = indexing && indexing[0] < indexing[1] ? { done: indexing[0], total: indexing[1] } : null;
    this._made = this._paused = this._secondsLeft = null;
    this._later();
  }

  private _restart(): void {
    this._reading = this._made = this._paused = this._secondsLeft = null;
    this._last = 0; // another vault, or none, is told at once
    this._later();
  }

  private _later(): void {
    if (this._timer !== null) {
      clearTimeout(this._timer);
      this._timer = null;
    }
    const wait = this._last + EVERY - Date.now();
    if (wait <= 0) {
      this._tell();
    } else {
      this._timer = setTimeout(() => this._tell(), wait);
    }
  }

  private _tell(): void {
    this._timer = null;
    this._last = Date.now();
    this._changed.emit();
  }

  private _reading: { done: number; total: number } | null = null;
  private _made: { done: number; total: number } | null = null;
  private _paused: boolean | null = null;
  private _secondsLeft: number | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _last = 0;
  private readonly _changed = new Signal<this, void>(this);
}
