// What the buttons and keys of the section editor do.
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard, showErrorMessage } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Client } from '../../api/client';
import { ApiError } from '../../api/request';
import { Commands } from '../../commands';
import { siblings, trail } from '../../model/places';
import { parted } from '../../model/rescue';
import type { SectionModel } from '../../model/section';
import type { IKnowledgeBase, INavigator, Place } from '../../tokens';
import { openMenu } from '../../ui/menu';
import { folderOf } from '../../ui/text';
import { askDiscard } from './discard';

export { Layout } from './layout';

/** So many notes of a folder are in its menu. */
const NOTES = 60;

export interface Surroundings {
  app: JupyterFrontEnd;
  kb: Pick<IKnowledgeBase, 'vault'>;
  /** The section's; another one than the panels show where that was changed since. */
  vault: string;
  navigator: INavigator;
  client: Client;
  trans: TranslationBundle;
  /** Close the tab, the section is gone. */
  close: () => void;
}

export class Actions {
  constructor(
    readonly model: SectionModel,
    private readonly _around: Surroundings
  ) {}

  /** The section and those above it, the topmost first. */
  trail(): { heading: string; headingPath: string }[] {
    const { headingPath, outline } = this.model;
    if (headingPath === null) {
      return [];
    }
    const known = outline ? trail(outline, headingPath) : [];
    return known.length
      ? known.map(node => ({ heading: node.heading, headingPath: node.heading_path }))
      : headingPath
          .split(' > ')
          .map((heading, index, all) => ({ heading, headingPath: all.slice(0, index + 1).join(' > ') }));
  }

  /** Whether somebody offers one of the commands for sections. */
  has(name: 'insert' | 'rename' | 'remove'): boolean {
    return this._around.app.commands.hasCommand(Commands[name]);
  }

  /** The keys of a command of the editor's, as they are shown. */
  keys(name: 'save'): string {
    const id = { save: Commands.saveSection }[name];
    const binding = this._around.app.commands.keyBindings.find(other => other.command === id);
    return binding ? CommandRegistry.formatKeystroke(binding.keys) : '';
  }

  async save(): Promise<void> {
    await (this.model.merge ? this.model.saveResult() : this.model.save());
  }

  async notesMenu(at: Element): Promise<void> {
    const { client, navigator } = this._around;
    const { file } = this.model;
    const folder = folderOf(file);
    try {
      const page = await client.notes({ folder, limit: NOTES });
      const entries = page.notes
        .filter(note => folderOf(note.file) === folder)
        .map(note => ({
          label: note.file.slice(folder ? folder.length + 1 : 0),
          checked: note.file === file,
          run: () => void this._here(() => navigator.open({ file: note.file }))
        }));
      await openMenu(entries, at);
    } catch (error) {
      await this._say(this._around.trans.__('The notes could not be listed'), error);
    }
  }

  siblingsMenu(headingPath: string, at: Element): void {
    const { outline, file } = this.model;
    const entries = siblings(outline ?? ({ sections: [] } as never), headingPath).map(node => ({
      label: node.heading || this._around.trans.__('(no heading)'),
      checked: node.heading_path === headingPath,
      run: () => void this._edit({ file, headingPath: node.heading_path })
    }));
    void openMenu(entries, at);
  }

  async insertMenu(at: Element): Promise<void> {
    const { trans } = this._around;
    await openMenu(
      [
        { label: trans.__('Section before this one'), run: () => void this.insert('before') },
        {
          label: trans.__('Section after this one'),
          keys: 'Alt Enter',
          run: () => void this.insert('after')
        },
        { label: trans.__('Subsection'), run: () => void this.insert('child') }
      ],
      at
    );
  }

  async insert(where: 'before' | 'after' | 'child'): Promise<void> {
    const made = await this._run('insert', { where, open: false });
    if (made) {
      await this._edit(made);
    }
  }

  async rename(): Promise<void> {
    if (await this.model.save()) {
      await this._run('rename');
    }
  }

  async remove(): Promise<void> {
    await this._run('remove');
    if (this.model.gone && !this.model.dirty) {
      this._around.close();
    }
  }

  /** Write the text as another section, and go on in that. */
  async saveAsNew(): Promise<void> {
    const { trans } = this._around;
    const { text, gone } = this.model;
    const { heading, body } = parted(text);
    const name = heading || (this.trail().at(-1)?.heading ?? trans.__('Untitled'));
    try {
      await this.model.saveAsNew(gone ? name : trans.__('%1 (mine)', name), body);
    } catch (error) {
      await this._say(trans.__('Your text was not saved, it is kept here'), error);
    }
  }

  copyText(): void {
    Clipboard.copyToSystem(this.model.text);
  }

  /** Ask, and go back to what is on the disk. */
  async discard(): Promise<boolean> {
    const sure = await askDiscard(this.model, this._around.trans);
    if (sure) {
      await this.model.discard();
    }
    return sure;
  }

  private async _run(
    name: 'insert' | 'rename' | 'remove',
    more: Record<string, unknown> = {}
  ): Promise<Place | null> {
    const { file, headingPath } = this.model;
    if (!this.has(name) || headingPath === null) {
      return null;
    }
    const { commands } = this._around.app;
    const args = { file, headingPath, ...more };
    const outcome = await this._here(
      () => commands.execute(Commands[name], args as never) as Promise<unknown>
    );
    await this.model.check();
    return (outcome as Place | null | undefined) ?? null;
  }

  /** Do what is done in the vault in use, if that is the section's: another may have a note of the same name. */
  private async _here<T>(act: () => Promise<T>): Promise<T | null> {
    const { kb, vault, trans } = this._around;
    if (kb.vault?.name === vault) {
      return act();
    }
    await showErrorMessage(
      trans.__('This section is in the notes folder “%1”', vault),
      trans.__('Choose that folder first. Editing and saving the text go on working here.')
    );
    return null;
  }

  private _edit(place: Place): Promise<unknown> {
    return this._around.app.commands.execute(Commands.edit, { ...place, vault: this._around.vault });
  }

  private _say(title: string, error: unknown): Promise<void> {
    const hint = error instanceof ApiError && error.hint ? `: ${error.hint}` : '';
    return showErrorMessage(title, (error instanceof Error ? error.message : String(error)) + hint);
  }
}
