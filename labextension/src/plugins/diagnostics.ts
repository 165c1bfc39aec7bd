// The diagnostics tab and the command that compares the index with the notes on disk.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';

import { Commands } from '../commands';
import type { DiagnosticsView } from '../panels/diagnostics/widget';
import { IKnowledgeBase, INavigator } from '../tokens';
import { knowledgeBaseIcon } from '../ui/icons';

export const diagnostics: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:diagnostics',
  description: 'How the knowledge base stands, and problems in notes.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator],
  optional: [ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ) => {
    const { commands, shell } = app;
    const { trans } = kb;
    const tracker = new WidgetTracker<MainAreaWidget<DiagnosticsView>>({
      namespace: 'jupyter-kb-diagnostics'
    });

    commands.addCommand(Commands.diagnostics, {
      label: trans.__('Show Diagnostics'),
      caption: trans.__('How the knowledge base stands, and problems in notes'),
      icon: knowledgeBaseIcon,
      execute: async () => {
        let widget = tracker.currentWidget;
        if (!widget) {
          const { makeDiagnosticsView } = await import('../panels/diagnostics/widget');
          widget = new MainAreaWidget({ content: makeDiagnosticsView({ kb, navigator, commands }) });
          widget.id = 'jupyter-kb-diagnostics';
          widget.toolbar.hide();
          shell.add(widget, 'main', { type: 'Knowledge base' });
          await tracker.add(widget);
        }
        shell.activateById(widget.id);
      }
    });
    commands.addCommand(Commands.rebuild, {
      label: trans.__('Update Index…'),
      caption: trans.__('Compare the index with all notes on disk'),
      isEnabled: () => kb.state === 'ready',
      execute: async () => (await import('../panels/diagnostics/update')).updateIndex(kb)
    });
    const category = trans.__('Knowledge Base');
    palette?.addItem({ command: Commands.diagnostics, category });
    palette?.addItem({ command: Commands.rebuild, category });
    if (restorer) {
      void restorer.restore(tracker, { command: Commands.diagnostics, name: () => 'diagnostics' });
    }
  }
};
