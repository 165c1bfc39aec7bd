// The plugins of the knowledge base, each small and each to be switched off by itself.
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { completion } from './plugins/completion';
import { contextMenus } from './plugins/contextMenus';
import { createNote } from './plugins/createNote';
import { diagnostics } from './plugins/diagnostics';
import { documents } from './plugins/documents';
import { editor } from './plugins/editor';
import { graph } from './plugins/graph';
import { hover } from './plugins/hover';
import { links } from './plugins/links';
import { navigation } from './plugins/navigation';
import { note } from './plugins/note';
import { renderedLinks } from './plugins/renderedLinks';
import { search } from './plugins/search';
import { sections } from './plugins/sections';
import { session } from './plugins/session';
import { status } from './plugins/status';
import { widgets } from './plugins/widgets';

export * from './tokens';

const plugins: JupyterFrontEndPlugin<unknown>[] = [
  session,
  navigation,
  documents,
  search,
  note,
  sections,
  editor,
  links,
  renderedLinks,
  completion,
  hover,
  createNote,
  contextMenus,
  graph,
  status,
  widgets,
  diagnostics
];

export default plugins;
