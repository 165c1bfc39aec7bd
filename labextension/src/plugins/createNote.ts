// The command that makes a note: asks for its name and folder, and opens it.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';

import { Commands } from '../commands';
import { IKnowledgeBase, INavigator } from '../tokens';
import { folderOf } from '../ui/text';

export const createNote: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:createNote',
  description: 'Makes notes.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    palette: ICommandPalette | null
  ) => {
    app.commands.addCommand(Commands.createNote, {
      label: kb.trans.__('Create Note…'),
      caption: kb.trans.__('Make a note in the knowledge base'),
      isEnabled: () => kb.state === 'ready',
      execute: async args => {
        const { askForNote } = await import('../links/createNote');
        const name = typeof args['name'] === 'string' ? args['name'] : '';
        const folder =
          typeof args['folder'] === 'string' ? args['folder'] : folderOf(navigator.current?.file ?? '');
        const file = await askForNote(kb, name, folder);
        if (file !== null && args['open'] !== false) {
          await navigator.open({ file });
        }
        return file;
      }
    });
    palette?.addItem({ command: Commands.createNote, category: kb.trans.__('Knowledge Base') });
  }
};
