// What the parts of the graph view share.
import type { CommandRegistry } from '@lumino/commands';

import { Commands } from '../../commands';
import type { GraphModel } from '../../model/graph';
import type { IKnowledgeBase, INavigator, OpenOptions } from '../../tokens';
import { openMenu } from '../../ui/menu';

export interface GraphContext {
  kb: IKnowledgeBase;
  model: GraphModel;
  navigator: INavigator;
  commands: CommandRegistry;
}

/** Open a note; a missing one is offered to be made. */
export function openNote(context: GraphContext, file: string, how: OpenOptions['how'] = 'open'): void {
  const { model, navigator, commands } = context;
  if (!model.picture.nodes.get(file)?.missing) {
    void navigator.open({ file }, { how });
  } else if (commands.hasCommand(Commands.createNote)) {
    void commands.execute(Commands.createNote, { name: file });
  }
}

export function openNodeMenu(context: GraphContext, file: string, x: number, y: number): void {
  const { kb, model } = context;
  const { trans } = kb;
  const missing = model.picture.nodes.get(file)?.missing ?? false;
  const canMake = context.commands.hasCommand(Commands.createNote);
  void openMenu(
    missing
      ? [{ label: trans.__('Create Note…'), disabled: !canMake, run: () => openNote(context, file) }]
      : [
          { label: trans.__('Open Note'), run: () => openNote(context, file) },
          { label: trans.__('Open Beside'), run: () => openNote(context, file, 'beside') },
          'separator',
          { label: trans.__('Centre Here'), run: () => void model.go(file) }
        ],
    { x, y }
  );
}
