// The note that the panel shows: which one, its outline, its links, where in it the reader is. No DOM.
import { Signal } from '@lumino/signaling';

import type { VaultEvent } from '../api/events';
import { ApiError } from '../api/request';
import type { Mention, Outline, OutlineNode } from '../api/types';
import type { IKnowledgeBase, INavigator, Place } from '../tokens';
import { countWords } from '../ui/text';
import { type BrokenLink, linkedFrom, type LinkGroup, linksFrom, mentionedIn, type Order } from './linkList';
import { type NoteData, NOTHING, readLinks, readMentions, readMoreLinks, readSuggestions } from './noteData';
import { sectionAt, sectionNamed } from './places';

/** Milliseconds after the last change of tab before another note is read. */
const FOLLOW_AFTER = 100;
/** Milliseconds in which events are taken together. */
const EVENTS_WITHIN = 150;
/** Notes whose data are kept. */
const KEPT = 8;

export class NoteModel {
  constructor(
    private readonly _kb: IKnowledgeBase,
    private readonly _navigator: Pick<INavigator, 'current' | 'currentChanged'>
  ) {
    _navigator.currentChanged.connect(this._moved, this);
    _kb.events.connect(this._heard, this);
    _kb.changed.connect(this._vaultChanged, this);
    this._vault = _kb.vault?.name ?? null;
  }

  readonly changed = new Signal<this, void>(this);

  /** The note that is shown, or null. */
  get file(): string | null {
    return this._file;
  }
  get outline(): Outline | null {
    return this._data.outline;
  }
  /** Why the note could not be read. */
  get problem(): ApiError | null {
    return this._problem;
  }
  /** The note stays, whatever comes to the front. */
  get pinned(): boolean {
    return this._pinned;
  }
  /** The section that is read, or null: above the first heading, or another note is in front. */
  get section(): OutlineNode | null {
    return this._section;
  }
  /** The words of `section`, null until they are counted. */
  get words(): number | null {
    return this._section ? (this._words.get(this._section.content_hash) ?? null) : null;
  }
  get order(): Order {
    return this._order;
  }
  get incoming(): LinkGroup[] {
    return linkedFrom(this._data.incoming ?? [], this._data.notes, this._order);
  }
  /** Null until it is known. */
  get incomingTotal(): number | null {
    return this._data.incoming && this._data.incomingTotal;
  }
  get moreIncoming(): boolean {
    return (this._data.incoming?.length ?? 0) < this._data.incomingTotal;
  }
  get outgoing(): LinkGroup[] {
    return linksFrom(this._data.outgoing ?? [], this._data.notes);
  }
  /** Null until it is known. */
  get outgoingTotal(): number | null {
    return this._data.outgoing?.filter(link => link.status === 'resolved').length ?? null;
  }
  get broken(): readonly BrokenLink[] | null {
    return this._data.outgoing && this._data.broken;
  }
  get mentions(): readonly Mention[] | null {
    return this._data.mentions;
  }
  get mentionGroups(): LinkGroup[] {
    return mentionedIn(this._data.mentions ?? [], this._data.notes);
  }
  get mentionsMore(): boolean {
    return this._data.mentionsMore;
  }

  /** Keep showing this note, or follow the one in front again. */
  pin(pinned: boolean): void {
    this._pinned = pinned;
    this.changed.emit();
    if (!pinned) {
      this._follow();
    }
  }

  /** Show a note whatever is in front. */
  async show(file: string): Promise<void> {
    this._stopTimer();
    this._pinned = this._pinned || file !== this._navigator.current?.file;
    await this._use(file);
  }

  sort(order: Order): void {
    this._order = order;
    this.changed.emit();
  }

  /** The panel is seen (or no longer): only then is anything read. */
  seen(visible: boolean): void {
    if (visible === this._visible) {
      return;
    }
    this._visible = visible;
    if (!visible) {
      this._stopTimer();
      this._abort?.abort();
      this._abort = null;
      return;
    }
    const wanted = this._pinned ? this._file : (this._navigator.current?.file ?? this._file);
    if (wanted !== this._file || this._stale) {
      void this._use(wanted);
    } else {
      this._locate();
    }
  }

  /** Read the note and its links again. What is shown stays until the answers are there. */
  async reload(): Promise<void> {
    await this._use(this._file);
  }

  /** Read links to the note that the first answer did not hold. */
  async loadMoreIncoming(): Promise<void> {
    await this._read((file, signal) => readMoreLinks(this._kb.client, file, this._data, signal));
  }

  /** Look where other notes name this one without a link. */
  async loadMentions(): Promise<void> {
    this._mentionsWanted = true;
    await this._read((file, signal) => readMentions(this._kb.client, file, this._data.notes, signal));
  }

  /** Mentions are not looked for any longer. */
  forgetMentions(): void {
    this._mentionsWanted = false;
  }

  dispose(): void {
    this._stopTimer();
    clearTimeout(this._events);
    this._abort?.abort();
    Signal.disconnectReceiver(this);
    Signal.clearData(this);
  }

  private _moved(_: unknown, place: Place | null): void {
    if (!this._visible) {
      return;
    }
    if (place?.file === this._file || this._pinned || place === null) {
      this._stopTimer();
      this._locate();
    } else {
      this._stopTimer();
      this._timer = setTimeout(() => this._follow(), FOLLOW_AFTER);
    }
  }

  private _follow(): void {
    const place = this._navigator.current;
    if (this._visible && !this._pinned && place && place.file !== this._file) {
      void this._use(place.file);
    }
  }

  private async _use(file: string | null): Promise<void> {
    this._abort?.abort();
    this._abort = null;
    if (file !== this._file) {
      this._file = file;
      this._problem = null;
      this._mentionsWanted = false;
      this._data = (file !== null && this._kept.get(file)) || NOTHING;
      this._section = null;
      this._locate(false);
      this.changed.emit();
    }
    if (file === null || this._kb.state !== 'ready' || !this._visible) {
      this._stale = true;
      return;
    }
    this._stale = false;
    const abort = (this._abort = new AbortController());
    await this._readOutline(file, abort.signal); // alone: it is waited for, and links cost the server more
    await this._readLinks();
    if (this._mentionsWanted && !abort.signal.aborted) {
      await this.loadMentions();
    }
  }

  private async _readOutline(file: string, signal: AbortSignal): Promise<void> {
    try {
      const outline = await this._kb.client.outline(file, signal);
      this._problem = null;
      if (outline.version !== this._data.outline?.version || this._section === null) {
        this._set(file, { outline });
        this._locate();
      } else {
        this.changed.emit();
      }
    } catch (error) {
      this._failed(file, error);
    }
  }

  private async _readLinks(): Promise<void> {
    const { client } = this._kb;
    await this._read((file, signal) => readLinks(client, file, this._data.notes, signal));
    await this._read(async (file, signal) => ({
      broken: await readSuggestions(client, file, this._data.broken, signal)
    }));
  }

  /** Take in what is read of the note that is shown, unless another is shown by then. */
  private async _read(
    read: (file: string, signal: AbortSignal) => Promise<Partial<NoteData>>
  ): Promise<void> {
    const { _file: file, _abort: abort } = this;
    if (file === null || !abort || abort.signal.aborted) {
      return;
    }
    try {
      const data = await read(file, abort.signal);
      if (!abort.signal.aborted) {
        this._set(file, data);
      }
    } catch (error) {
      this._failed(file, error);
    }
  }

  private _set(file: string, data: Partial<NoteData>): void {
    if (file !== this._file) {
      return;
    }
    this._data = { ...this._data, ...data };
    this._kept.delete(file);
    this._kept.set(file, this._data);
    if (this._kept.size > KEPT) {
      this._kept.delete(this._kept.keys().next().value as string);
    }
    this.changed.emit();
  }

  private _failed(file: string, error: unknown): void {
    if (file !== this._file || (error instanceof DOMException && error.name === 'AbortError')) {
      return;
    }
    this._problem = error instanceof ApiError ? error : new ApiError('unexpected', String(error), 0);
    this.changed.emit();
  }

  /** Find the section that is read; its words are counted once for each text. */
  private _locate(tell = true): void {
    const { outline } = this._data;
    const place = this._navigator.current;
    let found: OutlineNode | null = null;
    if (outline && place?.file === this._file) {
      const named = place.line ? sectionAt(outline, place.line) : null;
      found = named ?? (place.headingPath ? sectionNamed(outline, place.headingPath) : null);
    }
    found = found && found.level > 0 ? found : null;
    if (
      found?.heading_path !== this._section?.heading_path ||
      found?.content_hash !== this._section?.content_hash
    ) {
      this._section = found;
      if (tell) {
        this.changed.emit();
      }
    }
    if (found && !this._words.has(found.content_hash)) {
      void this._count(found);
    }
  }

  private async _count(node: OutlineNode): Promise<void> {
    const { file, _abort: abort } = this;
    if (file === null || !abort) {
      return;
    }
    try {
      const section = await this._kb.client.section(
        { file, heading_path: node.heading_path, exact: true },
        true,
        abort.signal
      );
      if (section.content_hash === node.content_hash) {
        this._words.set(node.content_hash, countWords(section.content.replace(/^.*$/m, '')));
        this.changed.emit();
      }
    } catch {
      // a count that nobody will miss: the section moved on, and an event tells of that
    }
  }

  private _heard(_: unknown, event: VaultEvent): void {
    if (event.kind !== 'note_changed' && event.kind !== 'index_updated') {
      return;
    }
    this._kept.clear();
    if (!this._visible) {
      this._stale = true;
      return;
    }
    clearTimeout(this._events);
    this._events = setTimeout(() => void this.reload(), EVENTS_WITHIN);
  }

  private _vaultChanged(): void {
    if (this._kb.vault?.name !== this._vault) {
      this._vault = this._kb.vault?.name ?? null;
      this._kept.clear();
      this._words.clear();
      this._pinned = false;
      void this._use(this._navigator.current?.file ?? null);
    } else if (this._stale && this._kb.state === 'ready') {
      void this._use(this._file ?? this._navigator.current?.file ?? null);
    } else {
      this.changed.emit();
    }
  }

  private _stopTimer(): void {
    clearTimeout(this._timer);
    this._timer = undefined;
  }

  private _file: string | null = null;
  private _data: NoteData = NOTHING;
  private _problem: ApiError | null = null;
  private _pinned = false;
  private _visible = false;
  private _stale = false;
  private _section: OutlineNode | null = null;
  private _order: Order = 'modified';
  private _mentionsWanted = false;
  private _vault: string | null;
  private _abort: AbortController | null = null;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _events: ReturnType<typeof setTimeout> | undefined;
  private readonly _words = new Map<string, number>();
  private readonly _kept = new Map<string, NoteData>();
}
