// What the views of the note panel share, and the actions that more than one of them offers.
import { showErrorMessage } from '@jupyterlab/apputils';
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { ApiError } from '../../api/request';
import { Commands } from '../../commands';
import { NotThereError } from '../../model/linkRepair';
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
    const { trans } = this.kb;
    try {
      await act();
    } catch (error) {
      if (error instanceof NotThereError) {
        await showErrorMessage(
          trans.__('Line %1 was not changed', error.line),
          trans.__(
            'It no longer says what this list was made of, or it holds the same link twice. Open the note and change it there.'
          )
        );
      } else if (error instanceof ApiError && error.code === 'conflict') {
        const { showConflict } = await import('../../dialogs/conflict');
        await showConflict(heading, null, error, trans);
      } else {
        await showErrorMessage(
          trans.__('The note was not changed'),
          error instanceof Error ? error.message : String(error)
        );
      }
    }
    await this.model.reload();
  }
}
