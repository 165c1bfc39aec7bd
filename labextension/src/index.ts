// The plugins of the knowledge base, each small and each to be switched off by itself.
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { navigation } from './plugins/navigation';
import { note } from './plugins/note';
import { sections } from './plugins/sections';
import { session } from './plugins/session';

export * from './tokens';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  session, //
  navigation,
  note,
  sections
];

export default plugins;
