// Wikilinks in JupyterLab's rendered Markdown: its own renderer does all the work, ours adds what links mean.
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { LINK_CLASS, WAITING, hide, type Link, reveal } from './written';
import type { LinkResolver } from '../model/resolver';
import type { IKnowledgeBase, State } from '../tokens';
import { Embeds } from './embeds';
import { IN, type Sources } from './sources';

export const MIME = 'text/markdown';
/** While the server has not answered yet wikilinks are links already; what they mean comes later. */
const UNDECIDED: ReadonlySet<State> = new Set(['starting', 'ready']);

/** Where in a chain of embeds a text stands. */
export interface Depth {
  /** `file#heading` of each text that it is embedded in, the outermost first. */
  within: readonly string[];
  /** How many more may be shown in the outermost text. */
  left: { count: number };
}

export interface Services {
  kb: IKnowledgeBase;
  resolver: LinkResolver;
  sources: Sources;
  /** Where a file of the vault can be loaded from. */
  urlOf: (file: string) => Promise<string | null>;
  /** A resolver of relative addresses for the text of a note. */
  addressesIn: (file: string) => IRenderMime.IResolver | null;
}

/** A renderer of Markdown that is another one with wikilinks. */
export function withWikilinks(
  inner: IRenderMime.IRendererFactory,
  services: Services
): IRenderMime.IRendererFactory {
  return {
    safe: inner.safe,
    mimeTypes: inner.mimeTypes,
    ...(inner.defaultRank === undefined ? {} : { defaultRank: inner.defaultRank }),
    createRenderer: options => createRenderer(inner, options, services, { within: [], left: { count: 0 } })
  };
}

export function createRenderer(
  inner: IRenderMime.IRendererFactory,
  options: IRenderMime.IRendererOptions,
  services: Services,
  depth: Depth
): IRenderMime.IRenderer {
  const { markdownParser: parser } = options;
  if (!parser) {
    return inner.createRenderer(options);
  }
  let links: Link[] = [];
  const render = async (content: string): Promise<string> => {
    const { kb } = services;
    const wanted = UNDECIDED.has(kb.state) && kb.settings.renderWikilinks && content.includes('[[');
    const hidden = wanted ? hide(content) : { markdown: content, links: [] };
    const html = reveal(await parser.render(hidden.markdown), hidden.links);
    links = hidden.links;
    return html;
  };
  const markdownParser = Object.create(parser, { render: { value: render } }) as IRenderMime.IMarkdownParser;
  const renderer = inner.createRenderer({ ...options, markdownParser });
  const embeds = new Embeds(inner, options, services, depth);
  const plain = renderer.renderModel.bind(renderer);
  renderer.renderModel = async model => {
    await plain(model);
    const path = (options.resolver as { path?: string } | null)?.path;
    const file = path === undefined ? services.sources.fileOf(renderer.node) : services.sources.pathOf(path);
    if (file !== null && path !== undefined) {
      renderer.node.setAttribute(IN, file);
    }
    embeds.clear();
    const shown = links;
    keepHeadingIds(renderer.node, shown, options.sanitizer.allowNamedProperties ?? false);
    const waiting: [HTMLAnchorElement, Link][] = [];
    for (const anchor of renderer.node.querySelectorAll<HTMLAnchorElement>(
      `a.${LINK_CLASS}[href^='${WAITING}']`
    )) {
      const link = shown[Number(anchor.getAttribute('href')?.slice(WAITING.length))];
      if (link) {
        anchor.setAttribute('href', '#');
        anchor.dataset['kbTarget'] = link.target;
        waiting.push([anchor, link]);
      }
    }
    // not waited for: the text can be read before the server has said where its links lead
    void decided(services.kb).then(ready => {
      for (const [anchor, link] of waiting) {
        if (!ready) {
          anchor.replaceWith(link.source);
        } else {
          void settle(anchor, file, services.resolver).then(() =>
            link.embed ? embeds.show(anchor, link) : undefined
          );
        }
      }
    });
  };
  return renderer;
}

/** Once it is known whether there is a vault: whether there is one. */
function decided(kb: IKnowledgeBase): Promise<boolean> {
  return new Promise(resolve => {
    const look = (): void => {
      if (kb.state !== 'starting') {
        kb.changed.disconnect(look);
        resolve(kb.state === 'ready');
      }
    };
    kb.changed.connect(look);
    look();
  });
}

/** Give a link what its target means now: where it leads, or that it leads nowhere. */
export async function settle(
  anchor: HTMLElement,
  file: string | null,
  resolver: LinkResolver
): Promise<void> {
  const found = await resolver.resolve(file, anchor.dataset['kbTarget'] ?? '');
  if (!found) {
    return;
  }
  const { target, status, reason } = found;
  const resolved = status === 'resolved' && target !== null;
  anchor.classList.toggle('kb-missing', !resolved);
  if (target) {
    anchor.dataset['kbFile'] = target.file;
  } else {
    delete anchor.dataset['kbFile'];
  }
  if (target?.heading_path) {
    anchor.dataset['kbHeading'] = target.heading_path;
  } else {
    delete anchor.dataset['kbHeading'];
  }
  if (resolved || !reason) {
    anchor.removeAttribute('aria-description');
  } else {
    anchor.setAttribute('aria-description', reason);
  }
}

/** JupyterLab names headings by their text as it is written, and its table of contents looks for those names. */
function keepHeadingIds(node: HTMLElement, links: readonly Link[], named: boolean): void {
  for (const anchor of node.querySelectorAll(`a.${LINK_CLASS}[href^='${WAITING}']`)) {
    const heading = anchor.closest('h1, h2, h3, h4, h5, h6');
    const own = heading?.querySelector('a.jp-InternalAnchorLink');
    if (!heading || !own) {
      continue;
    }
    const copy = heading.cloneNode(true) as HTMLElement;
    copy.querySelector('a.jp-InternalAnchorLink')?.remove();
    for (const link of copy.querySelectorAll(`a.${LINK_CLASS}`)) {
      const written = links[Number(link.getAttribute('href')?.slice(WAITING.length))];
      link.textContent = written?.source ?? link.textContent;
    }
    const id = (copy.textContent ?? '').replace(/ /g, '-');
    heading.setAttribute(named ? 'id' : 'data-jupyter-id', id);
    own.setAttribute('href', `#${id}`);
  }
}
