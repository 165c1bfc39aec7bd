// The plugins of the knowledge base, each small and each to be switched off by itself.
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { completion } from './plugins/completion';
import { contextMenus } from './plugins/contextMenus';
import { createNote } from './plugins/createNote';
import { hover } from './plugins/hover';
import { links } from './plugins/links';
import { navigation } from './plugins/navigation';
import { renderedLinks } from './plugins/renderedLinks';
import { session } from './plugins/session';

export * from './tokens';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  session, //
  navigation,
  links,
  renderedLinks,
  completion,
  hover,
  createNote,
  contextMenus
];

export default plugins;
