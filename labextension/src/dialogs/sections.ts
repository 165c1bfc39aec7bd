// What the commands for sections do: ask, change under the guard of the hash, say what came of it.
import { Notification, showErrorMessage } from '@jupyterlab/apputils';

import { ApiError } from '../api/request';
import type { EditResult, SectionContent, SectionPatch, SectionRef } from '../api/types';
import { neighbour } from '../model/outline';
import { flat, refOf } from '../model/places';
import type { SectionPlace } from '../model/sectionPlaces';
import type { IKnowledgeBase } from '../tokens';
import { showConflict } from './conflict';
import { askHeading } from './heading';
import { askRemoval } from './remove';

/** Milliseconds that a toast stays. */
const TOAST = 8000;

/** Where a section is after a change; null where nothing was changed or it is gone. */
export type Outcome = { file: string; headingPath: string; line: number } | null;

export type Where = 'before' | 'after' | 'child';

const OPERATION = { before: 'insert_before', after: 'insert_after', child: 'insert_child' } as const;

export class SectionCommands {
  /** `again`: show a section that is another than it was. */
  constructor(
    private readonly _kb: IKnowledgeBase,
    private readonly _again: (place: { file: string; headingPath: string }) => void
  ) {}

  /** Do something with a section, or say that it is not there. */
  async at<T>(
    found: Promise<SectionPlace | null> | null,
    act: (place: SectionPlace) => Promise<T>
  ): Promise<T | null> {
    let place: SectionPlace | null = null;
    try {
      place = await found;
    } catch (error) {
      await this._say(this._kb.trans.__('The note could not be read'), error);
      return null;
    }
    if (!place) {
      await showErrorMessage(
        this._kb.trans.__('No section is here'),
        this._kb.trans.__('Put the cursor below a heading of a note, or choose a heading in the note panel.')
      );
      return null;
    }
    return act(place);
  }

  /** Put a new section before or after one, or into it. */
  async insert(place: SectionPlace, where: Where): Promise<Outcome> {
    const { trans } = this._kb;
    const level = Math.min(6, place.node.level + (where === 'child' ? 1 : 0));
    const { heading } = place.node;
    const about = {
      before: trans.__('Level %1, before “%2”', level, heading),
      after: trans.__('Level %1, after “%2”', level, heading),
      child: trans.__('Level %1, in “%2”', level, heading)
    }[where];
    const title = where === 'child' ? trans.__('New subsection') : trans.__('New section');
    return this._asked(place, { title, action: trans.__('Insert'), heading: '', about }, answer => ({
      operation: OPERATION[where],
      heading: answer.heading
    }));
  }

  /** Give a section another heading; links to it follow unless the reader does not want that. */
  async rename(place: SectionPlace): Promise<Outcome> {
    const { trans, client } = this._kb;
    const { heading } = place.node;
    const patch: SectionPatch = { section: ref(place), operation: 'rename', update_links: true };
    // which links follow does not depend on what the new heading says
    const links = client
      .edit({ ...patch, heading: `${heading} …`, dry_run: true }, place.node.content_hash)
      .catch(() => null);
    const question = { title: trans.__('Rename section'), action: trans.__('Rename'), heading, links };
    return this._asked(
      place,
      question,
      answer =>
        answer.heading === heading
          ? null
          : { operation: 'rename', heading: answer.heading, update_links: answer.updateLinks },
      result => this._toldOfLinks(place, result)
    );
  }

  /** Delete a section with all below it. */
  async remove(place: SectionPlace): Promise<Outcome> {
    const { client, trans } = this._kb;
    const patch: SectionPatch = { section: ref(place), operation: 'delete' };
    const { node } = place;
    return this._guarded(place, null, async () => {
      const text = await client.section(ref(place), true);
      const would = await client.edit({ ...patch, dry_run: true }, node.content_hash);
      const lines = node.line_range.end - node.line_range.start + 1;
      const subsections = flat(node.children).length;
      if (
        !(await askRemoval({ heading: node.heading, lines, subsections, links: would.broken_links }, trans))
      ) {
        return null;
      }
      return this._guarded(place, text, async () => {
        await client.edit(patch, node.content_hash);
        return null;
      });
    });
  }

  /** Move a section over its neighbour, or beside another section of the note. */
  async move(
    place: SectionPlace,
    to: -1 | 1 | { target: string; place: 'before' | 'after' }
  ): Promise<Outcome> {
    const beside = typeof to === 'object' ? to : this._over(place, to);
    if (!beside) {
      return null;
    }
    return this._guarded(place, null, async () => {
      const patch: SectionPatch = { section: ref(place), operation: 'move', ...beside };
      return outcome(await this._kb.client.edit(patch, place.node.content_hash));
    });
  }

  private _over(place: SectionPlace, by: -1 | 1): { target: string; place: 'before' | 'after' } | null {
    const next = neighbour(place.outline, place.node.heading_path, by);
    return next && { target: next.heading_path, place: by < 0 ? 'before' : 'after' };
  }

  /** Ask for a heading until it is taken or the reader leaves. */
  private async _asked(
    place: SectionPlace,
    question: Parameters<typeof askHeading>[0],
    patchOf: (answer: { heading: string; updateLinks: boolean }) => Omit<SectionPatch, 'section'> | null,
    done: (result: EditResult) => void = () => undefined
  ): Promise<Outcome> {
    const text = this._kb.client.section(ref(place), true).catch(() => null);
    for (let asked = question; ;) {
      const answer = await askHeading(asked, this._kb.trans);
      const patch = answer && patchOf(answer);
      if (!answer || !patch) {
        return null;
      }
      try {
        const result = await this._kb.client.edit({ section: ref(place), ...patch }, place.node.content_hash);
        done(result);
        return outcome(result);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code === 'conflict') {
          return this._refused(place, await text, error);
        }
        const reason = error.hint ? `${error.message}: ${error.hint}` : error.message;
        asked = { ...question, heading: answer.heading, error: reason };
      }
    }
  }

  /** Do something that may be refused, and say so where it is. */
  private async _guarded(
    place: SectionPlace,
    text: SectionContent | null,
    act: () => Promise<Outcome>
  ): Promise<Outcome> {
    try {
      return await act();
    } catch (error) {
      return this._refused(place, text, error);
    }
  }

  private async _refused(place: SectionPlace, text: SectionContent | null, error: unknown): Promise<Outcome> {
    const { trans } = this._kb;
    if (error instanceof ApiError && error.code === 'conflict') {
      const before = text?.content_hash === place.node.content_hash ? text.content : null;
      if (await showConflict(place.node.heading, before, error, trans)) {
        this._again({ file: place.file, headingPath: place.node.heading_path });
      }
      return null;
    }
    const gone = error instanceof ApiError && error.code === 'section-not-found';
    await this._say(
      gone
        ? trans.__('This section is no longer in the note')
        : trans.__('“%1” was not changed', place.node.heading),
      error
    );
    return null;
  }

  private async _say(title: string, error: unknown): Promise<void> {
    const hint = error instanceof ApiError && error.hint ? `: ${error.hint}` : '';
    await showErrorMessage(title, (error instanceof Error ? error.message : String(error)) + hint);
  }

  /** Links changed in notes that the reader does not see. */
  private _toldOfLinks(place: SectionPlace, result: EditResult): void {
    const { trans, client } = this._kb;
    const notes = result.links_updated ?? [];
    const links = notes.reduce((sum, note) => sum + note.count, 0);
    if (!links) {
      return;
    }
    const counted = trans._n('%1 link updated', '%1 links updated', links);
    const where = trans._n('%1 note', '%1 notes', notes.length);
    const undo = async (): Promise<void> => {
      const { file, heading_path, content_hash } = result;
      const patch: SectionPatch = {
        section: { file, heading_path, exact: true },
        operation: 'rename',
        heading: place.node.heading,
        update_links: true
      };
      await this._guarded(place, null, async () => outcome(await client.edit(patch, content_hash ?? '')));
    };
    Notification.success(trans.__('%1 in %2', counted, where), {
      autoClose: TOAST,
      actions: [{ label: trans.__('Undo'), callback: () => void undo() }]
    });
  }
}

function ref({ outline, node }: SectionPlace): SectionRef {
  return refOf(outline, node);
}

function outcome(result: EditResult): Outcome {
  const node = flat(result.sections).find(section => section.heading_path === result.heading_path);
  return node ? { file: result.file, headingPath: node.heading_path, line: node.line_range.start } : null;
}
