// What the views of the note panel share, and the actions that more than one of them offers.
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands } from '../../commands';
import { changeNote } from '../../dialogs/repair';
import type { NoteModel } from '../../model/note';
import type { IKnowledgeBase, INavigator, OpenOptions, Place } from '../../tokens';
import type { Activation } from '../../ui/tree';
import type { NoteLayout } from './layout';

export class Host {
  constructor(
    readonly kb: IKnowledgeBase,
    readonly model: NoteModel,
    readonly layout: NoteLayout,
    readonly commands: CommandRegistry,
    private readonly _navigator: INavigator
  ) {}

  /** Whether another part of the interface offers this. */
  has(command: string): boolean {
    return this.commands.hasCommand(command);
  }

  run(command: string, args: ReadonlyPartialJSONObject = {}): Promise<unknown> {
    return this.commands.execute(command, args);
  }

  /** Show a place the way it was asked for. */
  go(place: Place, how: Activation, marks: readonly string[] = []): void {
    if (how === 'edit') {
      if (this.has(Commands.edit)) {
        void this.run(Commands.edit, { ...place });
      }
      return;
    }
    const options: OpenOptions = { how, marks };
    void this._navigator.open(place, options);
  }

  /** Change a note; a refusal is told, and what is shown is read again. */
  async change(heading: string, act: () => Promise<unknown>): Promise<void> {
    await changeNote(this.kb, heading, act);
    await this.model.reload();
  }
}
