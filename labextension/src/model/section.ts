// A section that is being edited: what was read, what was typed, how it is saved, and what happens to it elsewhere. No DOM.
import { Signal } from '@lumino/signaling';

import type { VaultEvent } from '../api/events';
import { ApiError } from '../api/request';
import type { EditResult, Outline, SectionContent } from '../api/types';
import type { Draft } from './draft';
import { DraftKeeper } from './keeper';
import { fromEditor, toEditor } from './lineends';
import { Merge } from './merge';
import { Moments } from './moments';
import { type Problem, asApiError, isGone, problemOf } from './problem';
import { insertAsNew } from './rescue';
import { type Base, type SectionOptions, SectionSource, baseOf, momentOf } from './source';
import { type Status, statusOf } from './status';
import { Watcher } from './watcher';

export class SectionModel extends Moments {
  constructor(private readonly _options: SectionOptions) {
    super();
    this._source = new SectionSource(_options.client, _options.file, _options.headingPath);
    this.readOnly = _options.readOnly ?? false;
    this.drafts = new DraftKeeper(_options.drafts, this.file, this.headingPath, () =>
      (this.dirty || this.gone) && this.loaded
        ? { text: this.merge?.kept ?? this._text, base: this._base.source, hash: this._base.hash }
        : null
    );
    _options.events.connect(this._hear, this);
  }

  /** Of what was typed here, and of what was typed in earlier editors. */
  readonly drafts: DraftKeeper;
  /** Anything here is another. */
  readonly changed = new Signal<this, void>(this);
  /** `text` is (or may be) another, and not because `type` was called. */
  readonly replaced = new Signal<this, void>(this);

  get file(): string {
    return this._source.file;
  }
  /** As the server writes it; null for the whole note. */
  get headingPath(): string | null {
    return this._source.headingPath;
  }
  get text(): string {
    return this._text;
  }
  get dirty(): boolean {
    return this._text !== this._base.text;
  }
  /** The hash of the text that the edit started from. */
  get hash(): string {
    return this._base.hash;
  }
  get outline(): Outline | null {
    return this._source.outline;
  }
  /** Where the section begins and ends in the note, and how many lines that has; from 1. */
  get lines(): { start: number; end: number; of: number } {
    return this._source.lines(this._text, this._base.text);
  }
  /** What is on the disk where that is another text than the edit started from. */
  theirs: SectionContent | null = null;
  /** The decisions on both texts, once they are wanted. */
  merge: Merge | null = null;
  problem: Problem | null = null;
  /** Why there is nothing to be edited. */
  failure: ApiError | null = null;
  /** Nothing answers to its name any more. */
  gone = false;

  loaded = false;
  /** The vault may only be read. */
  readOnly: boolean;

  get status(): Status {
    return statusOf(this);
  }

  /** Read the section and offer what was typed in an earlier editor. Never throws: see `failure`. */
  async load(): Promise<void> {
    try {
      const content = await this._source.read();
      this.failure = null;
      this._take(content);
      this.loaded = true;
      this.replaced.emit();
      this.drafts.offer(this._base.text);
      void this._readOutline();
    } catch (error) {
      this.failure = asApiError(error);
      this.drafts.offer('');
      if (isGone(this.failure) && this.drafts.offered) {
        this.failure = null; // what was typed into it is shown all the same
        this.loaded = this.gone = true;
        this._goOn(this.drafts.offered);
      }
    }
    this._tell();
  }

  /** The reader typed. */
  type(text: string): void {
    if (text === this._text) {
      return;
    }
    const was = this.dirty;
    this._text = text;
    if (this.dirty && !was) {
      this.savedAt = this.updatedAt = 0;
    }
    this.problem = this.problem?.kind === 'rejected' ? null : this.problem;
    this.drafts.later();
    this._tell();
  }

  /** Go on with the text that is offered; what it was made from comes with it. */
  restore(): void {
    const { offered: draft } = this.drafts;
    const { current } = this._source;
    if (!draft) {
      return;
    }
    this.drafts.aside(); // what was typed before anybody looked at the offer is offered in its turn
    if (draft.hash !== this._base.hash && current) {
      this.theirs = current;
      this.changedAt = momentOf(current);
    }
    this._goOn(draft, this.theirs ? undefined : this._base);
    this._tell();
  }

  /** Drop the text that is offered, and offer an older one if there is any. */
  dropOffered(): void {
    this.drafts.dropOffered(this._base.text);
    this._tell();
  }

  /** Write the text in place of the one that the edit started from. True if it is on the disk. */
  async save(): Promise<boolean> {
    while (this._saving) {
      if (!(await this._saving)) {
        return false; // what was typed during a save is saved after it
      }
    }
    if (!this.dirty || this.readOnly || !this.loaded || this.gone || this.merge) {
      return !this.dirty;
    }
    return this._saved(this._text, this._base);
  }

  /** Write the result of the decisions in place of what is on the disk. */
  async saveResult(): Promise<boolean> {
    const { merge, theirs } = this;
    if (!merge || !theirs || merge.left || this._saving) {
      return false;
    }
    const saved = await this._saved(merge.text, baseOf(theirs));
    if (saved) {
      this.replaced.emit();
    }
    return saved;
  }

  /** Decide now on what changed on both sides. */
  compare(): void {
    if (this.theirs && !this.merge) {
      this.merge = new Merge(this._text, this._base.text, toEditor(this.theirs.content));
      this._tell();
    }
  }

  /** Drop what was typed and go back to what is on the disk. */
  async discard(): Promise<void> {
    this._text = this._base.text;
    this.merge = this.theirs = this.problem = null;
    this.drafts.now();
    this.replaced.emit();
    this._tell();
    await this.check();
  }

  /** Write what was typed as another section, behind this one or, where it is gone, where it was. */
  async saveAsNew(heading: string, body: string): Promise<void> {
    const source = fromEditor(body, this._base.source, this._source.lineEnd);
    const path = await insertAsNew(this._options.client, this.file, this.headingPath, heading, source);
    this.gone = false;
    this._text = this._base.text;
    this.drafts.now();
    this._source.headingPath = path;
    this._take(await this._source.read());
    this.drafts.follow(path);
    this.savedAt = Date.now();
    void this._readOutline();
    this.replaced.emit();
    this._tell();
  }

  /** Whether the vault may only be read. */
  restrict(readOnly: boolean): void {
    if (readOnly !== this.readOnly) {
      this.readOnly = readOnly;
      this._tell();
    }
  }

  /** Hidden editors do no work; what happened meanwhile is taken up when they are shown again. */
  set active(active: boolean) {
    this._watcher.active = active;
  }

  /** Look whether the section is still what it was. Never throws. */
  check(): Promise<void> {
    return this._watcher.ask();
  }

  dispose(): void {
    this.drafts.flush();
    this._forget();
    this._disposed = true;
    this._options.events.disconnect(this._hear, this);
    Signal.clearData(this);
  }

  private _saved(text: string, base: Base): Promise<boolean> {
    this._saving ??= this._watcher
      .during(() => this._patiently(() => this._write(text, base)))
      .finally(() => (this._saving = null));
    return this._saving;
  }

  private async _look(holds: () => boolean): Promise<void> {
    if (!this.loaded) {
      return;
    }
    try {
      const node = await this._source.locate();
      if (!holds()) {
        return;
      }
      if (node === null) {
        this._lost();
      } else if (node?.content_hash === this._base.hash && !this.theirs && !this.gone) {
        this.drafts.follow(this.headingPath); // the lines around it changed, or the headings above it
        this._tell();
      } else {
        const content = await this._source.read();
        if (holds()) {
          this._meet(content);
        }
      }
    } catch (error) {
      if (holds() && isGone(asApiError(error))) {
        this._lost();
      }
    }
  }

  private async _write(text: string, base: Base): Promise<boolean> {
    const source = fromEditor(text, base.source, this._source.lineEnd);
    try {
      const result = await this._options.client.edit(
        { section: { ...this._source.ref, exact: true }, operation: 'rewrite', body: source },
        base.hash
      );
      this._written(text, source, result);
      return true;
    } catch (error) {
      await this._refused(asApiError(error));
      return false;
    }
  }

  private _written(text: string, source: string, result: EditResult): void {
    this._base = { source, text, hash: result.content_hash ?? '' };
    this._source.current = null;
    this._text = this.merge ? text : this._text; // the result, or whatever was typed since
    this.merge = this.theirs = this.problem = null;
    this.savedAt = Date.now();
    this.updatedAt = 0;
    this.drafts.now();
    this._source.wrote(result.heading_path, result.sections, result.version);
    this.drafts.follow(this.headingPath);
  }

  private async _refused(error: ApiError): Promise<void> {
    this.drafts.now();
    if (error.status === 412) {
      try {
        const content = await this._source.read();
        this._meet(content, true);
        return;
      } catch (failed) {
        error = asApiError(failed);
      }
    }
    if (isGone(error)) {
      this._watcher.later(); // gone, or renamed
    } else if (error.code === 'read-only') {
      this.readOnly = true;
    } else {
      this.problem = problemOf(error);
    }
  }

  /** What is on the disk now is this. */
  private _meet(content: SectionContent, refused = false): void {
    this.gone = false;
    this._source.met(content);
    this.drafts.follow(this.headingPath);
    if (content.content_hash === this._base.hash) {
      this._unmerge(); // it is back to what it was
    } else if (!this.dirty) {
      this._take(content);
      this._updated();
      this.replaced.emit();
    } else if (fromEditor(this._text, this._base.source, this._source.lineEnd) === content.content) {
      this._take(content, this._text); // somebody wrote the very same
      this.drafts.now();
    } else {
      if (content.content_hash !== this.theirs?.content_hash) {
        this.theirs = content;
        this.changedAt = momentOf(content);
        this.merge?.reload(toEditor(content.content));
      }
      if (refused) {
        this.compare();
      }
    }
    this._tell();
  }

  private _lost(): void {
    this.gone = true;
    this._unmerge();
    this.drafts.now();
    this._tell();
  }

  /** There is nothing to decide any more; what was typed among the decisions stays. */
  private _unmerge(): void {
    const kept = this.merge?.kept ?? null;
    this.merge = this.theirs = null;
    if (kept !== null) {
      this._text = kept;
      this.replaced.emit();
    }
  }

  /** Go on with a draft that was offered, and what it was made from. */
  private _goOn(
    { text, base, hash, time }: Draft,
    from: Base = { source: base, text: toEditor(base), hash }
  ): void {
    this._base = from;
    this._text = text;
    this.readAt ||= time;
    this.merge = null;
    this.drafts.now();
    this.drafts.dropOffered(this._base.text);
    this.replaced.emit();
  }

  private _take(content: SectionContent, text = toEditor(content.content)): void {
    this._base = { ...baseOf(content), text };
    this._text = text;
    this._source.met(content);
    this.drafts.follow(this.headingPath);
    this.readAt = Date.now();
    this.theirs = this.merge = this.problem = null;
  }

  private async _readOutline(): Promise<void> {
    try {
      await this._source.readOutline();
      this._tell();
    } catch {
      // the text can be edited without; the next event asks again
    }
  }

  private _hear(_: unknown, event: VaultEvent): void {
    if (this._source.isIn(event)) {
      void this.check();
    }
  }

  protected override _tell(): void {
    if (!this._disposed) {
      this.changed.emit();
    }
  }

  private _base: Base = { source: '', text: '', hash: '' };
  private _text = '';
  private _disposed = false;
  private _saving: Promise<boolean> | null = null;
  private readonly _watcher = new Watcher(holds => this._look(holds));
  private readonly _source: SectionSource;
}
