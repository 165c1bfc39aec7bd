// Where a section is in its note as that is on the disk: its text, its name, its lines. No DOM.
import type { ISignal } from '@lumino/signaling';

import type { Client } from '../api/client';
import type { VaultEvent } from '../api/events';
import type { Outline, OutlineNode, SectionContent, SectionRef } from '../api/types';
import type { Drafts } from './draft';
import { lineEndOf, toEditor } from './lineends';
import { flat, renamed, sectionNamed } from './places';

/** Which section, and what stands around it. */
export interface SectionOptions {
  client: Client;
  events: ISignal<unknown, VaultEvent>;
  drafts: Drafts;
  file: string;
  /** Null for the whole note. */
  headingPath: string | null;
  readOnly?: boolean;
}

/** What was read, as the server has it (`source`) and as the editor has it (`text`). */
export interface Base {
  source: string;
  text: string;
  hash: string;
}

export function baseOf(content: SectionContent): Base {
  return { source: content.content, text: toEditor(content.content), hash: content.content_hash };
}

/** When a text was written, as far as that is known, in milliseconds. */
export function momentOf(content: SectionContent & { modified?: number | null }): number {
  return content.modified ? content.modified * 1000 : Date.now();
}

export class SectionSource {
  constructor(
    readonly client: Client,
    readonly file: string,
    /** Null for the whole note. */
    public headingPath: string | null
  ) {}

  /** What was read last, null where something else was written since. */
  current: SectionContent | null = null;
  outline: Outline | null = null;
  /** The line of the note on which it begins, from 1, and the note's last line with text. */
  start = 1;
  last = 0;
  /** The line end of lines that are added to a section that has only one. */
  lineEnd = '\n';

  /** By the exact path once it is known; before that the way people write it. */
  get ref(): SectionRef {
    const { file, headingPath } = this;
    return headingPath === null ? { file } : { file, heading_path: headingPath, exact: this._known };
  }

  async read(): Promise<SectionContent> {
    return this.client.section(this.ref);
  }

  /** This is what is on the disk. */
  met(content: SectionContent): void {
    this.current = content;
    this._known = true;
    this.headingPath = this.headingPath === null ? null : content.heading_path;
    this.start = content.line_range.start;
  }

  /** This was written. */
  wrote(headingPath: string | null, sections: OutlineNode[], version: string): void {
    this.headingPath = this.headingPath === null ? null : (headingPath ?? this.headingPath);
    if (this.outline) {
      this.outline = { ...this.outline, sections, version };
      this._locate();
    }
  }

  /** Where an edited text begins and ends in the note, and how many lines that has. */
  lines(edited: string, read: string): { start: number; end: number; of: number } {
    const count = (text: string): number => text.replace(/\n+$/, '').split('\n').length;
    const end = this.start + count(edited) - 1;
    return { start: this.start, end, of: Math.max(end, this.last + count(edited) - count(read)) };
  }

  async readOutline(): Promise<void> {
    const outline = await this.client.outline(this.file);
    const { current } = this;
    if (current && this.headingPath !== null && lineEndOf(current.content) === null) {
      this.lineEnd = lineEndOf((await this.client.section({ file: this.file })).content) ?? '\n';
    }
    this.outline = outline;
    this._locate();
  }

  /**
   * Where the section is in the note now, under another name where it was renamed: null where it is gone, undefined for the
   * whole note.
   */
  async locate(): Promise<OutlineNode | null | undefined> {
    const before = this.outline;
    const outline = await this.client.outline(this.file);
    if (this.headingPath === null) {
      this.outline = outline;
      this._locate();
      return undefined;
    }
    const path = sectionNamed(outline, this.headingPath)
      ? this.headingPath
      : before && renamed(before, outline, this.headingPath);
    if (path === null) {
      return null;
    }
    this.headingPath = path;
    this.outline = outline;
    this._locate();
    return sectionNamed(outline, path);
  }

  /** Whether an event may be about the note. */
  isIn(event: VaultEvent): boolean {
    if (event.kind === 'note_changed') {
      return event.file === this.file;
    }
    return (
      event.kind === 'index_updated' &&
      (['added', 'changed', 'removed'] as const).some(
        kind => event[kind].includes(this.file) || event.counts[kind] > event[kind].length
      )
    );
  }

  private _known = false;

  private _locate(): void {
    const all = flat(this.outline?.sections ?? []);
    const here = all.find(node => node.heading_path === this.headingPath);
    this.start = this.headingPath === null ? 1 : (here?.line_range.start ?? this.start);
    this.last = Math.max(0, ...all.map(node => node.line_range.end));
  }
}
