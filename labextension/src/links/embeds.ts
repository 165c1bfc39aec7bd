// What an embed shows in rendered Markdown: a picture, or a section with its own Markdown rendered in a frame.
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

import { createRenderer, type Depth, MIME, type Services } from './rendered';
import { IN } from './sources';
import type { Link } from './written';

/** So many embeds may stand in each other. */
const DEEPEST = 3;
/** So many may stand in one text, those in embedded texts counted. */
const MOST = 100;
const PICTURE = /\.(?:apng|avif|bmp|gif|jpe?g|png|svg|webp)$/i;
const NOTE = /\.md$/i;
const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

export class Embeds {
  constructor(
    private readonly _inner: IRenderMime.IRendererFactory,
    private readonly _options: IRenderMime.IRendererOptions,
    private readonly _services: Services,
    private readonly _depth: Depth
  ) {}

  /** Let go of what was shown before. */
  clear(): void {
    this._rendering++;
    if (this._depth.within.length === 0) {
      this._depth.left.count = MOST;
    }
    this._renderers.splice(0).forEach(renderer => renderer.dispose());
  }

  /** Put what a link embeds in its place. A link that leads nowhere, or too deep, stays a link. */
  async show(anchor: HTMLAnchorElement, link: Link): Promise<void> {
    const { kbFile: file, kbHeading: heading } = anchor.dataset;
    if (!file || anchor.classList.contains('kb-missing')) {
      return;
    }
    if (PICTURE.test(file)) {
      await this._picture(anchor, link, file);
    } else if (NOTE.test(file)) {
      await this._section(anchor, file, heading ?? null);
    }
  }

  private async _picture(anchor: HTMLElement, link: Link, file: string): Promise<void> {
    const url = await this._services.urlOf(file);
    if (url === null) {
      return;
    }
    const image = document.createElement('img');
    image.src = url;
    // Obsidian's sizes: `![[plot.png|300]]`, `![[plot.png|300x200]]`
    const size = /^(\d+)(?:x(\d+))?$/.exec(link.label ?? '');
    if (size) {
      image.width = Number(size[1]);
      if (size[2]) {
        image.height = Number(size[2]);
      }
    }
    image.alt = size || !link.label ? file.slice(file.lastIndexOf('/') + 1) : link.label;
    anchor.replaceWith(image);
  }

  private async _section(anchor: HTMLAnchorElement, file: string, heading: string | null): Promise<void> {
    const { kb } = this._services;
    const key = `${file}#${heading ?? ''}`;
    const within = this._depth.within;
    if (
      this._depth.left.count <= 0 ||
      within.length >= DEEPEST ||
      within.some(one => one === key || one === `${file}#`)
    ) {
      anchor.classList.add('jp-kb-mod-not-embedded');
      anchor.title =
        this._depth.left.count > 0
          ? kb.trans.__('Not shown here: it stands too deep in other embeds, or in itself')
          : kb.trans.__('Not shown here: too much is embedded already');
      return;
    }
    this._depth.left.count -= 1;
    const rendering = this._rendering;
    let text: string;
    try {
      text = (await kb.client.section({ file, heading_path: heading, exact: heading !== null })).content;
    } catch {
      return; // the link stays, and says what is wrong when it is followed
    }
    const renderer = createRenderer(
      this._inner,
      { ...this._options, resolver: this._services.addressesIn(file) ?? this._options.resolver },
      this._services,
      { within: [...within, key], left: this._depth.left }
    );
    if (rendering !== this._rendering) {
      renderer.dispose();
      return; // the text was rendered anew meanwhile
    }
    this._renderers.push(renderer);
    renderer.node.setAttribute(IN, file);
    await renderer.renderModel({
      trusted: false,
      data: { [MIME]: text.replace(FRONT_MATTER, '') },
      metadata: {},
      setData: () => undefined
    });
    // its headings are no places of the note that embeds it
    for (const heading of renderer.node.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
      heading.removeAttribute('id');
      heading.removeAttribute('data-jupyter-id');
      heading.querySelector('a.jp-InternalAnchorLink')?.remove();
    }
    const frame = framed(anchor, file, heading, renderer.node);
    const paragraph = anchor.parentElement;
    // a frame is a block: it takes the place of a paragraph that holds nothing else
    if (paragraph?.localName === 'p' && paragraph.textContent?.trim() === anchor.textContent?.trim()) {
      paragraph.replaceWith(frame);
    } else {
      anchor.replaceWith(frame);
    }
    this._options.latexTypesetter?.typeset(renderer.node);
  }

  private _rendering = 0;
  private readonly _renderers: IRenderMime.IRenderer[] = [];
}

function framed(
  link: HTMLAnchorElement,
  file: string,
  heading: string | null,
  content: HTMLElement
): HTMLElement {
  const frame = document.createElement('section');
  frame.className = 'jp-kb-embed';
  const name = file.slice(file.lastIndexOf('/') + 1).replace(NOTE, '');
  const title = heading ? `${name} › ${heading.split(' > ').at(-1)}` : name;
  frame.setAttribute('aria-label', title);
  const head = document.createElement('div');
  head.className = 'jp-kb-embed-title';
  const open = link.cloneNode() as HTMLAnchorElement;
  open.textContent = title;
  head.append(open);
  frame.append(head, content);
  return frame;
}
