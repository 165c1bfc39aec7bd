// The graph's commands and its tab in the main area; its code is fetched when it is first opened.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, IThemeManager, MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';

import { Commands } from '../commands';
import type { GraphView } from '../panels/graph/widget';
import { IKnowledgeBase, INavigator } from '../tokens';
import { graphIcon } from '../ui/icons';

export const graph: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:graph',
  description: 'The notes around a note, or all of the vault, as a graph.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator],
  optional: [ICommandPalette, ILayoutRestorer, IThemeManager],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    themes: IThemeManager | null
  ) => {
    const { commands, shell } = app;
    const { trans } = kb;
    const tracker = new WidgetTracker<MainAreaWidget<GraphView>>({ namespace: 'jupyter-kb-graph' });

    const show = async (file: string | null): Promise<void> => {
      let widget = tracker.currentWidget;
      if (!widget) {
        const { makeGraphView } = await import('../panels/graph/widget');
        const content = makeGraphView({
          kb,
          navigator,
          commands,
          themeChanged: themes?.themeChanged ?? null
        });
        widget = new MainAreaWidget({ content });
        widget.id = 'jupyter-kb-graph';
        widget.toolbar.hide();
        const made = widget;
        content.model.changed.connect(() => void tracker.save(made));
        shell.add(widget, 'main', { type: 'Knowledge base' });
        await tracker.add(widget);
      }
      shell.activateById(widget.id);
      await widget.content.model.go(file);
    };

    commands.addCommand(Commands.graph, {
      label: trans.__('Show Graph Around Note'),
      caption: trans.__('Show the notes that are linked with this one'),
      icon: graphIcon,
      describedBy: {
        args: { type: 'object', properties: { file: { type: 'string', description: trans.__('The note') } } }
      },
      isEnabled: args =>
        kb.state === 'ready' && (typeof args['file'] === 'string' || navigator.current !== null),
      execute: args => {
        const file = typeof args['file'] === 'string' ? args['file'] : null;
        return show(args['whole'] ? null : (file ?? navigator.current?.file ?? null));
      }
    });
    commands.addCommand(Commands.wholeGraph, {
      label: trans.__('Show Graph of All Notes'),
      icon: graphIcon,
      isEnabled: () => kb.state === 'ready',
      execute: () => show(null)
    });
    const category = trans.__('Knowledge Base');
    palette?.addItem({ command: Commands.graph, category });
    palette?.addItem({ command: Commands.wholeGraph, category });
    if (restorer) {
      void restorer.restore(tracker, {
        command: Commands.graph,
        args: ({ content }) => ({
          file: content.model.centre.file,
          whole: content.model.centre.file === null
        }),
        name: () => 'graph'
      });
    }
  }
};
