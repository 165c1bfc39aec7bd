// Provides the knowledge base to all other plugins: finds the vault, reads the settings, says what is missing.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { Commands } from '../commands';
import { KnowledgeBase } from '../model/session';
import { IKnowledgeBase, type ISettingsValues } from '../tokens';
import { openMenu } from '../ui/menu';

export const session: JupyterFrontEndPlugin<IKnowledgeBase> = {
  id: 'jupyter-kb:session',
  description: 'The knowledge base of the vault in use, its settings and its state.',
  autoStart: true,
  provides: IKnowledgeBase,
  optional: [ISettingRegistry, ITranslator],
  activate: (app: JupyterFrontEnd, registry: ISettingRegistry | null, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('jupyter_kb');
    const kb = new KnowledgeBase(app.serviceManager.serverSettings, app.serviceManager.events.stream, trans);
    if (registry) {
      void registry.load(session.id).then(settings => {
        const read = (): void => kb.configure(settings.composite as Partial<ISettingsValues>);
        settings.changed.connect(read);
        read();
      });
    }
    app.commands.addCommand(Commands.refresh, {
      label: trans.__('Read the Knowledge Base Again'),
      caption: trans.__('Ask the server what it offers and how it stands'),
      execute: () => kb.refresh()
    });
    app.commands.addCommand(Commands.chooseVault, {
      label: args => (typeof args['name'] === 'string' ? args['name'] : trans.__('Choose Notes Folder…')),
      isEnabled: () => kb.vaults.length > 1 || kb.state === 'empty',
      execute: async args => {
        const name = args['name'];
        if (typeof name === 'string') {
          kb.choose(name);
          return;
        }
        const entries = kb.vaults.map(vault => ({
          label: vault.name,
          hint: vault.root,
          checked: vault.name === kb.vault?.name,
          run: () => kb.choose(vault.name)
        }));
        await openMenu(entries, { x: 64, y: 64 });
      }
    });
    void app.started.then(() => kb.refresh());
    return kb;
  }
};
