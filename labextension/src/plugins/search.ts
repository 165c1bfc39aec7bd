// The search panel in the left sidebar: a shell until it is first shown, its command, its key.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IStateDB } from '@jupyterlab/statedb';

import { Commands } from '../commands';
import type { SearchModel } from '../model/search';
import type { SearchPanel } from '../panels/search/widget';
import { IKnowledgeBase, INavigator } from '../tokens';
import { knowledgeBaseIcon } from '../ui/icons';
import { LazyPanel } from '../ui/lazy';

/** The place in the sidebar: after the file browser. */
const RANK = 110;
/** Characters of a selected text that make a query. */
const LONGEST = 200;

export const search: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:search',
  description: 'The search panel of the knowledge base.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator],
  optional: [ILabShell, ILayoutRestorer, IStateDB, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    database: IStateDB | null,
    palette: ICommandPalette | null
  ) => {
    const { commands, shell } = app;
    const { trans } = kb;
    const leave = (): void => {
      const widget = labShell?.currentWidget ?? shell.currentWidget;
      if (widget) {
        shell.activateById(widget.id);
      }
    };
    const load = async (): Promise<SearchPanel> => {
      const { makeSearchPanel } = await import('../panels/search');
      return makeSearchPanel({ kb, navigator, commands, database, leave });
    };
    const panel = new LazyPanel(
      load,
      trans.__('The search panel could not be loaded. Reload the page to try again.')
    );
    panel.takesFocus = false;
    void app.restored.then(() => (panel.takesFocus = true));
    panel.id = 'jupyter-kb-search';
    panel.title.icon = knowledgeBaseIcon;
    panel.title.caption = trans.__('Knowledge base');
    panel.node.setAttribute('aria-label', trans.__('Knowledge base'));
    shell.add(panel, 'left', { rank: RANK, type: 'Knowledge base' });
    restorer?.add(panel, panel.id);

    commands.addCommand(Commands.search, {
      label: trans.__('Search Notes'),
      caption: trans.__('Search the knowledge base; again: back to the editor'),
      icon: knowledgeBaseIcon,
      describedBy: {
        args: {
          type: 'object',
          properties: {
            query: { type: 'string', description: trans.__('What is searched for') },
            mode: { type: 'string', enum: ['hybrid', 'text', 'semantic'] }
          }
        }
      },
      execute: async args => {
        const query = typeof args['query'] === 'string' ? args['query'] : null;
        const inside = panel.node.contains(document.activeElement);
        if (inside && query === null) {
          ((await panel.content()) as SearchPanel).back();
          return;
        }
        const selected = inside ? '' : selection();
        const content = (await panel.content()) as SearchPanel;
        content.remember();
        await content.renderPromise;
        const text = query ?? selected;
        shell.activateById(panel.id);
        await content.ready(text ? { query: text, mode: args['mode'] as SearchModel['mode'] } : null);
      }
    });
    palette?.addItem({ command: Commands.search, category: trans.__('Knowledge Base') });
    palette?.addItem({ command: Commands.refresh, category: trans.__('Knowledge Base') });
    palette?.addItem({ command: Commands.chooseVault, category: trans.__('Knowledge Base') });
  }
};

/** What is selected in the page, if it is one line of text. */
function selection(): string {
  const active = document.activeElement;
  const text =
    active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement
      ? active.value.slice(active.selectionStart ?? 0, active.selectionEnd ?? 0)
      : (window.getSelection()?.toString() ?? '');
  const trimmed = text.trim();
  return trimmed.length <= LONGEST && !trimmed.includes('\n') ? trimmed : '';
}
