// The plugins of the knowledge base, each small and each to be switched off by itself.
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { navigation } from './plugins/navigation';
import { session } from './plugins/session';
import { widgets } from './plugins/widgets';

export * from './tokens';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  session, //
  navigation,
  widgets
];

export default plugins;
