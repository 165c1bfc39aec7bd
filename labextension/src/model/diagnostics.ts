// What in the notes wants a person's attention, by kind, a few of each at first; and a report of how all stands. No DOM.
import { type ISignal, Signal } from '@lumino/signaling';

import type { VaultEvent } from '../api/events';
import { ApiError } from '../api/request';
import type { Diagnostic, ResolvedLink } from '../api/types';
import type { IKnowledgeBase } from '../tokens';
import { VERSION } from '../version';
import type { Check } from './checks';
import { type BrokenLink, brokenLinks } from './linkList';

type Kind = Diagnostic['kind'];
export type GroupId =
  'broken' | 'ambiguous' | 'aliases' | 'properties' | 'unread' | 'headings' | 'patterns' | 'meaning';

const KINDS: Record<GroupId, readonly Kind[]> = {
  broken: ['unresolved-link'],
  ambiguous: ['ambiguous-link'],
  aliases: ['duplicate-alias'],
  properties: ['front-matter', 'unclosed-front-matter'],
  unread: ['unreadable-file', 'file-too-large', 'invalid-utf8'],
  headings: ['too-many-headings'],
  patterns: ['ignore-pattern'],
  meaning: ['embedding-failed']
};
/** Problems of a kind that are listed before more are asked for, and how many more then. */
const FIRST = 3;
const MORE = 50;
const ALL = 1000;
/** Links of one note at once. */
const LINKS = 500;
const REFRESH_EVERY = 2000;

export interface Problem extends Diagnostic {
  id: string;
  /** The link that is meant, with what is wrong with it; null where it is none, or not known yet. */
  broken: BrokenLink | null;
}

export interface Group {
  id: GroupId;
  problems: readonly Problem[];
  /** All there are, listed or not. */
  total: number;
}

export class DiagnosticsModel {
  constructor(private readonly _kb: IKnowledgeBase) {
    _kb.changed.connect(this._vaultMayBeAnother, this);
    _kb.events.connect(this._hear, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  groups: readonly Group[] | null = null;
  pending = false;
  problem: ApiError | null = null;
  /** When it was looked last, in milliseconds since 1970. */
  checked: number | null = null;
  filter = '';
  folded: ReadonlySet<GroupId> = new Set();

  get total(): number {
    return (this.groups ?? []).reduce((sum, group) => sum + group.total, 0);
  }

  /** What passes the filter; with one, all that is listed of each group. */
  get shown(): readonly Group[] {
    const text = this.filter.trim().toLocaleLowerCase();
    const groups = this.groups ?? [];
    return text
      ? groups
          .map(group => {
            const problems = group.problems.filter(one =>
              `${one.file}\n${one.message}`.toLocaleLowerCase().includes(text)
            );
            return { ...group, problems, total: problems.length };
          })
          .filter(group => group.total)
      : groups;
  }

  /** Look again, at the state and at the notes. */
  async check(): Promise<void> {
    this.pending = true;
    this._changed.emit();
    await this._kb.refresh();
    await this._read(true);
  }

  /** Read the problems; as many of each kind as are listed now. */
  private async _read(keep: boolean): Promise<void> {
    const number = (this._number += 1);
    if (this._kb.state !== 'ready') {
      this.pending = false;
      this.groups = null;
      this.checked = Date.now();
      this._changed.emit();
      return;
    }
    this.pending = true;
    this._changed.emit();
    try {
      const listed = new Map(
        (keep ? (this.groups ?? []) : []).map(group => [group.id, group.problems.length])
      );
      const groups = await Promise.all(
        (Object.keys(KINDS) as GroupId[]).map(id => this._group(id, Math.max(FIRST, listed.get(id) ?? 0)))
      );
      if (number === this._number) {
        this.groups = groups.filter(group => group.total > 0);
        this.problem = null;
        this.checked = Date.now();
      }
    } catch (error) {
      if (number === this._number) {
        this.problem = error instanceof ApiError ? error : new ApiError('unexpected', String(error), 0);
      }
    }
    if (number === this._number) {
      this.pending = false;
      this._changed.emit();
    }
  }

  setFilter(text: string): void {
    this.filter = text;
    this._changed.emit();
    if (text.trim() && this.groups?.some(group => group.problems.length < group.total)) {
      void this._readAll();
    }
  }

  toggle(id: GroupId): void {
    const folded = new Set(this.folded);
    if (!folded.delete(id)) {
      folded.add(id);
    }
    this.folded = folded;
    this._changed.emit();
  }

  /** List more of a group. */
  async more(id: GroupId): Promise<void> {
    const group = this.groups?.find(one => one.id === id);
    if (group) {
      await this._extend(id, group.problems.length < MORE ? MORE : group.problems.length + MORE);
    }
  }

  show(): void {
    this._visible = true;
    if (this._stale || this.checked === null) {
      this._stale = false;
      void this._read(true);
    }
  }

  hide(): void {
    this._visible = false;
  }

  dispose(): void {
    this._kb.changed.disconnect(this._vaultMayBeAnother, this);
    this._kb.events.disconnect(this._hear, this);
    if (this._timer !== null) {
      clearTimeout(this._timer);
    }
    Signal.clearData(this);
  }

  /** Versions, counts and errors; paths and what problems say of notes only where that is wanted. */
  report(checks: readonly Check[], names: boolean): string {
    const { status, problem } = this._kb;
    const lines = [`jupyter_kb ${status?.version ?? '?'}, JupyterLab extension ${VERSION}`];
    if (problem) {
      lines.push(`error: ${problem.code} (${problem.status})${names ? `: ${problem.message}` : ''}`);
    }
    if (status) {
      const { notes, sections, links, diagnostics, index_bytes, read_only, language, watching, model } =
        status;
      lines.push(
        `notes ${notes}, sections ${sections}, links ${links}, problems ${diagnostics}`,
        `index: ${index_bytes} bytes, ${status.index_location === null ? 'in memory' : 'on disk'}, language ${language}, watching ${watching}${read_only ? ', read-only' : ''}`,
        model
          ? `model ${model.name}: ${model.embedded} of ${model.chunks} passages, ${model.dimensions ?? '?'} dimensions, ${model.device ?? '?'} ${model.dtype ?? ''}${model.paused ? ', paused' : ''}${model.server ? ', on a server' : ''}${model.problem ? `, problem${names ? `: ${model.problem}` : ''}` : ''}`
          : 'model: none'
      );
      if (names) {
        lines.push(`folder: ${status.root}`, `index at: ${status.index_location ?? '-'}`);
      }
    }
    lines.push(...checks.map(check => `check ${check.id}: ${check.tone}`));
    for (const group of this.groups ?? []) {
      lines.push(`${group.id}: ${group.total}`);
      if (names) {
        lines.push(
          ...group.problems.map(one => `  ${one.file}${one.line ? `:${one.line}` : ''}: ${one.message}`)
        );
      }
    }
    lines.push(`browser: ${navigator.userAgent}`);
    return `${lines.join('\n')}\n`;
  }

  // ── reading ───────────────────────────────────────────────────────────────────────────────────

  private async _group(id: GroupId, count: number): Promise<Group> {
    const parts = await Promise.all(KINDS[id].map(kind => this._page(kind, count)));
    const found = parts.flatMap(part => part.diagnostics);
    const links =
      id === 'broken' || id === 'ambiguous' ? await this._linksOf(found) : new Map<string, BrokenLink[]>();
    const seen = new Map<string, number>();
    const problems = found.map((one): Problem => {
      const key = `${one.file}:${one.line ?? 0}`;
      const nth = seen.get(key) ?? 0; // several on a line are in the same order as its links
      seen.set(key, nth + 1);
      return { ...one, id: `${id}:${key}:${nth}`, broken: links.get(key)?.[nth] ?? null };
    });
    return { id, problems, total: parts.reduce((sum, part) => sum + part.total, 0) };
  }

  private async _page(kind: Kind, count: number): Promise<{ diagnostics: Diagnostic[]; total: number }> {
    const { client } = this._kb;
    const all: Diagnostic[] = [];
    let total = 0;
    do {
      const page = await client.diagnostics({
        kind,
        limit: Math.min(count - all.length, ALL),
        offset: all.length
      });
      total = page.total;
      all.push(...page.diagnostics);
      if (!page.diagnostics.length) {
        break;
      }
    } while (all.length < Math.min(count, total));
    return { diagnostics: all, total };
  }

  /** The links of the notes that do not resolve, by file and line. */
  private async _linksOf(found: readonly Diagnostic[]): Promise<Map<string, BrokenLink[]>> {
    const files = [...new Set(found.map(one => one.file))].slice(0, MORE);
    const lists = await Promise.all(files.map(file => this._links(file).catch((): ResolvedLink[] => [])));
    const kind = found[0]?.kind === 'ambiguous-link' ? 'ambiguous' : 'missing';
    const byLine = new Map<string, BrokenLink[]>();
    for (const broken of lists.flatMap(links => brokenLinks(links))) {
      if (broken.link.status === kind) {
        const key = `${broken.link.source.file}:${broken.link.line}`;
        byLine.set(key, [...(byLine.get(key) ?? []), broken]);
      }
    }
    return byLine;
  }

  private async _links(file: string): Promise<ResolvedLink[]> {
    return (await this._kb.client.links({ file, direction: 'out', limit: LINKS })).links;
  }

  private async _extend(id: GroupId, count: number): Promise<void> {
    const number = this._number;
    const group = await this._group(id, count).catch(() => null);
    if (group && number === this._number) {
      this.groups = (this.groups ?? []).map(one => (one.id === id ? group : one));
      this._changed.emit();
    }
  }

  private async _readAll(): Promise<void> {
    for (const group of this.groups ?? []) {
      if (group.problems.length < group.total) {
        await this._extend(group.id, group.total);
      }
    }
  }

  private _hear(_: unknown, event: VaultEvent): void {
    if (event.kind !== 'index_updated') {
      return;
    }
    this._stale = true;
    this._timer ??= setTimeout(() => {
      this._timer = null;
      if (this._visible && this._stale) {
        this._stale = false;
        void this._read(true);
      }
    }, REFRESH_EVERY);
  }

  private _vaultMayBeAnother(): void {
    const vault = this._kb.state === 'ready' ? (this._kb.vault?.name ?? null) : null;
    if (vault !== this._vault) {
      this._vault = vault;
      this.groups = null;
      this._stale = true;
      if (this._visible) {
        this._stale = false;
        void this._read(false);
      }
    }
    this._changed.emit();
  }

  private _vault: string | null = null;
  private _visible = false;
  private _stale = false;
  private _number = 0;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private readonly _changed = new Signal<this, void>(this);
}
