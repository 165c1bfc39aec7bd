// Links into the vault, wherever in the page they stand: a click opens the note at the section.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IDocumentManager } from '@jupyterlab/docmanager';

import { Following } from '../links/following';
import { Sources } from '../links/sources';
import { IVaultLinks } from '../links/token';
import { LinkPreviews } from '../model/linkPreview';
import { LinkResolver } from '../model/resolver';
import { IKnowledgeBase, INavigator } from '../tokens';

export const links: JupyterFrontEndPlugin<IVaultLinks> = {
  id: 'jupyter-kb:links',
  description: 'Opens the notes that links lead to.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator, IDocumentManager],
  provides: IVaultLinks,
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    documents: IDocumentManager
  ) => {
    const resolver = new LinkResolver(kb);
    const sources = new Sources(app, kb, documents);
    const following = new Following(kb, navigator, app.commands, resolver, sources);
    following.listen();
    return { resolver, sources, following, previews: new LinkPreviews(kb) };
  }
};
