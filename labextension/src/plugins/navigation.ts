// Opens notes at a section, and follows where in which note the reader is.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabShell } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';

import { Commands } from '../commands';
import { Navigator } from '../navigation/navigator';
import { IKnowledgeBase, INavigator, type OpenOptions, type Place } from '../tokens';

export const navigation: JupyterFrontEndPlugin<INavigator> = {
  id: 'jupyter-kb:navigation',
  description: 'Opens notes and sections of the knowledge base in the main area.',
  autoStart: true,
  requires: [IKnowledgeBase, IDocumentManager],
  optional: [ILabShell],
  provides: INavigator,
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    documents: IDocumentManager,
    shell: ILabShell | null
  ) => {
    const navigator = new Navigator(app, kb, documents, shell);
    app.commands.addCommand(Commands.open, {
      label: kb.trans.__('Open Note at Section'),
      execute: args =>
        navigator.open(args as unknown as Place, { how: (args['how'] as OpenOptions['how']) ?? 'open' })
    });
    return navigator;
  }
};
