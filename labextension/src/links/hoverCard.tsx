// When the card of a link opens and closes, where it stands, and which keys it takes.
import type { CommandRegistry } from '@lumino/commands';
import { Clipboard } from '@jupyterlab/apputils';
import { createRoot, type Root } from 'react-dom/client';

import { Commands } from '../commands';
import type { LinkPreviews } from '../model/linkPreview';
import { WIDTHS, placeCard } from '../model/cardPlace';
import type { IKnowledgeBase, INavigator } from '../tokens';
import { type CardActions, MissingCard, PreviewCard, WaitingCard } from './card';
import { type Destination, type Following, LINKS } from './following';
import type { Sources } from './sources';

/** Milliseconds after leaving both the link and the card. */
const STAYS = 200;
/** A card that is asked for by a hand at rest only: so many milliseconds after the last key or scrolling. */
const REST = 400;

export interface CardServices {
  kb: IKnowledgeBase;
  navigator: INavigator;
  commands: CommandRegistry;
  following: Following;
  sources: Sources;
  previews: LinkPreviews;
  /** How a link to a place is written for the clipboard. */
  linkTo: (file: string, headingPath: string | null) => Promise<string>;
}

interface Shown {
  link: HTMLElement;
  node: HTMLElement;
  root: Root;
  /** What gets the focus back; null where the card was opened with the pointer and never took it. */
  opener: HTMLElement | null;
}

export class HoverCard {
  constructor(private readonly _services: CardServices) {}

  listen(): void {
    document.addEventListener('pointerover', event => {
      if (event.target instanceof Element && event.pointerType !== 'touch') {
        this.over(event.target);
      }
    });
    document.addEventListener('keydown', event => this._key(event), true);
    document.addEventListener('scroll', event => this._scrolled(event), { capture: true, passive: true });
    document.addEventListener('pointerdown', event => this._pressed(event), true);
  }

  /** Open the card of a link at once, for the keyboard. */
  async show(link: HTMLElement, opener: HTMLElement | null): Promise<void> {
    const found = await this._services.following.destination(link);
    if (!found || !link.isConnected) {
      return;
    }
    this.close(false);
    const node = document.createElement('div');
    node.className = 'jp-kb jp-kb-floating jp-kb-card';
    node.setAttribute('role', 'dialog');
    node.tabIndex = -1;
    document.body.append(node);
    const root = createRoot(node);
    const shown = { link, node, root, opener };
    this._shown = shown;
    link.classList.add('jp-kb-mod-shown');
    if (found.missing) {
      this._missing(shown, found);
    } else {
      await this._preview(shown, found);
    }
  }

  close(giveBack = true): void {
    this._stop();
    const shown = this._shown;
    if (!shown) {
      return;
    }
    this._shown = null;
    const had = shown.node.contains(document.activeElement);
    shown.link.classList.remove('jp-kb-mod-shown');
    shown.root.unmount();
    shown.node.remove();
    if (giveBack && had) {
      shown.opener?.focus();
    }
  }

  private async _preview(shown: Shown, found: Destination): Promise<void> {
    const { kb, previews } = this._services;
    const { trans } = kb;
    const file = found.file ?? '';
    shown.node.setAttribute('aria-label', trans.__('What the link leads to'));
    const slow = setTimeout(() => this._draw(shown, <WaitingCard trans={trans} />, WIDTHS.preview), 250);
    try {
      const preview = await previews.get(file, found.headingPath);
      if (this._shown === shown) {
        shown.node.setAttribute('aria-label', preview.title);
        const actions = this._actions(shown, found);
        this._draw(shown, <PreviewCard preview={preview} actions={actions} trans={trans} />, WIDTHS.preview);
      }
    } catch {
      if (this._shown === shown) {
        this.close();
      }
    } finally {
      clearTimeout(slow);
    }
  }

  private _missing(shown: Shown, found: Destination): void {
    const { trans } = this._services.kb;
    shown.node.setAttribute('aria-label', trans.__('Missing note'));
    const actions = this._actions(shown, found);
    this._draw(shown, <MissingCard destination={found} actions={actions} trans={trans} />, WIDTHS.missing);
  }

  private _actions(shown: Shown, found: Destination): CardActions {
    const { commands, navigator, following, sources, linkTo } = this._services;
    const { file, headingPath, target } = found;
    const then = (act: () => unknown) => () => {
      this.close();
      void act();
    };
    const place = { file: file ?? '', headingPath };
    return {
      open: then(() => navigator.open(place)),
      edit: commands.hasCommand(Commands.edit)
        ? then(() => commands.execute(Commands.edit, { ...place }))
        : null,
      copy: then(async () => Clipboard.copyToSystem(await linkTo(place.file, headingPath))),
      pin: then(() => navigator.open(place, { how: 'beside' })),
      create: commands.hasCommand(Commands.createNote)
        ? then(() => following.create(shown.link, target))
        : null,
      relink:
        target && !shown.link.closest('.jp-kb-card')
          ? name => {
              const heading = /#.*$/.exec(target)?.[0] ?? '';
              void sources.relink(shown.link, target, `${name}${heading}`);
              this.close();
            }
          : null
    };
  }

  private _draw(shown: Shown, content: JSX.Element, width: number): void {
    shown.node.style.width = `${width}px`;
    shown.node.style.visibility = 'hidden';
    shown.root.render(content);
    requestAnimationFrame(() => {
      if (this._shown === shown) {
        const { left, top } = placeCard(
          shown.link.getClientRects()[0] ?? shown.link.getBoundingClientRect(),
          shown.node.getBoundingClientRect(),
          { width: window.innerWidth, height: window.innerHeight }
        );
        Object.assign(shown.node.style, { left: `${left}px`, top: `${top}px`, visibility: '' });
      }
    });
  }

  /** The pointer has come over an element. */
  over(target: Element): void {
    const { kb } = this._services;
    const shown = this._shown;
    if (shown && (shown.node.contains(target) || shown.link.contains(target))) {
      this._stop();
      return;
    }
    if (shown) {
      this._leave ??= setTimeout(() => this.close(), STAYS);
    }
    const link = target.closest<HTMLElement>(LINKS);
    if (link === this._wanted) {
      return;
    }
    this._forgetWanted();
    if (link && kb.state === 'ready' && kb.settings.hoverDelay > 0) {
      this._wanted = link;
      this._enter = setTimeout(() => this._open(link), kb.settings.hoverDelay);
    }
  }

  private _open(link: HTMLElement): void {
    this._forgetWanted();
    const { following } = this._services;
    if (Date.now() - this._busy > REST && link.matches(':hover') && following.isLink(link)) {
      void this.show(link, null);
    }
  }

  private _key(event: KeyboardEvent): void {
    const shown = this._shown;
    if (['Alt', 'Control', 'Meta', 'Shift'].includes(event.key)) {
      return;
    }
    this._forgetWanted();
    if (!shown) {
      this._busy = Date.now();
      return;
    }
    const inside = shown.node.contains(document.activeElement);
    const buttons = Array.from(shown.node.querySelectorAll<HTMLElement>('button:not(:disabled), a[href]'));
    const taken = (): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    if (event.key === 'Escape') {
      taken();
      this.close();
    } else if (event.key === 'Tab' && !inside && shown.opener) {
      taken();
      (event.shiftKey
        ? buttons.at(-1)
        : shown.node.querySelector<HTMLElement>('.jp-kb-card-actions button')
      )?.focus();
    } else if (event.key === 'Tab' && inside) {
      const next = buttons.indexOf(document.activeElement as HTMLElement) + (event.shiftKey ? -1 : 1);
      taken();
      if (buttons[next]) {
        buttons[next].focus();
      } else {
        this.close(); // out of the card at either end: back to the link
      }
    } else if (!inside) {
      this._busy = Date.now();
      this.close();
    }
  }

  private _scrolled(event: Event): void {
    if (!(event.target instanceof Node && this._shown?.node.contains(event.target))) {
      this._busy = Date.now();
      this._forgetWanted();
      this.close();
    }
  }

  private _pressed(event: Event): void {
    this._forgetWanted();
    if (!(event.target instanceof Node && this._shown?.node.contains(event.target))) {
      this.close(false);
    }
  }

  private _stop(): void {
    if (this._leave !== null) {
      clearTimeout(this._leave);
      this._leave = null;
    }
  }

  private _forgetWanted(): void {
    if (this._enter !== null) {
      clearTimeout(this._enter);
      this._enter = null;
    }
    this._wanted = null;
  }

  private _shown: Shown | null = null;
  private _wanted: HTMLElement | null = null;
  private _busy = 0;
  private _enter: ReturnType<typeof setTimeout> | null = null;
  private _leave: ReturnType<typeof setTimeout> | null = null;
}
