// Wikilinks and embeds in JupyterLab's rendered Markdown: previews, Markdown cells, the section editor.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IRenderMimeRegistry, RenderMimeRegistry } from '@jupyterlab/rendermime';

import { MIME, type Services, settle, withWikilinks } from '../links/rendered';
import { IVaultLinks } from '../links/token';
import { IKnowledgeBase } from '../tokens';

export const renderedLinks: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:renderedLinks',
  description: 'Makes wikilinks in rendered Markdown links, and shows what they embed.',
  autoStart: true,
  requires: [IKnowledgeBase, IVaultLinks, IRenderMimeRegistry],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    { resolver, sources }: IVaultLinks,
    rendermime: IRenderMimeRegistry
  ) => {
    const inner = rendermime.getFactory(MIME);
    if (!inner) {
      return; // another kind of application, which renders no Markdown
    }
    const { contents } = app.serviceManager;
    const services: Services = {
      kb,
      resolver,
      sources,
      urlOf: async file => {
        const path = kb.contentsPathOf(file);
        return path === null ? null : contents.getDownloadUrl(path);
      },
      addressesIn: file => {
        const path = kb.contentsPathOf(file);
        return path === null ? null : new RenderMimeRegistry.UrlResolver({ path, contents });
      }
    };
    rendermime.addFactory(withWikilinks(inner, services));
    // a note was made, renamed or removed: what is on the screen says so
    resolver.forgotten.connect(() => {
      for (const anchor of document.querySelectorAll<HTMLElement>(
        '.jp-RenderedMarkdown a.kb-link[data-kb-target]'
      )) {
        void settle(anchor, sources.fileOf(anchor), resolver);
      }
    });
  }
};
