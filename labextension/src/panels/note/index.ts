// Makes the note panel; the plugin fetches this when the panel is first shown.
import type { IStateDB } from '@jupyterlab/statedb';
import type { CommandRegistry } from '@lumino/commands';

import { NoteModel } from '../../model/note';
import type { IKnowledgeBase, INavigator } from '../../tokens';
import { Host } from './host';
import { NoteLayout } from './layout';
import { NotePanel } from './panel';

export async function notePanel(
  kb: IKnowledgeBase,
  navigator: INavigator,
  commands: CommandRegistry,
  state: IStateDB | null
): Promise<NotePanel> {
  const layout = new NoteLayout(state);
  await layout.restore();
  return new NotePanel(new Host(kb, new NoteModel(kb, navigator), layout, commands, navigator));
}
