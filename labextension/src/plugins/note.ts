// The note panel: its place in the right sidebar, and the command that shows it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';

import { Commands } from '../commands';
import type { NotePanel } from '../panels/note/panel';
import { IKnowledgeBase, INavigator } from '../tokens';
import { noteIcon } from '../ui/icons';
import { LazyPanel } from '../ui/lazy';

const ID = 'jupyter-kb-note-panel';
const RANK = 650;

export const note: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:note',
  description: 'A sidebar panel with the outline, the links and the properties of the note in front.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator],
  optional: [ILayoutRestorer, IStateDB, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    restorer: ILayoutRestorer | null,
    state: IStateDB | null,
    palette: ICommandPalette | null
  ) => {
    const { trans } = kb;
    const panel = new LazyPanel(
      async () => (await import('../panels/note')).notePanel(kb, navigator, app.commands, state),
      trans.__('The panel could not be loaded. Reload the page to try again.')
    );
    panel.id = ID;
    panel.title.icon = noteIcon;
    panel.title.caption = trans.__('Note');
    app.shell.add(panel, 'right', { rank: RANK, type: 'Note' });
    restorer?.add(panel, ID);

    app.commands.addCommand(Commands.showNote, {
      label: trans.__('Show Note Panel'),
      caption: trans.__('Outline, links and properties of the note in front'),
      execute: async args => {
        app.shell.activateById(ID);
        if (typeof args['file'] === 'string') {
          const content = (await panel.content()) as NotePanel;
          await content.showNote(args['file']);
        }
      }
    });
    palette?.addItem({ command: Commands.showNote, category: trans.__('Knowledge Base') });
  }
};
