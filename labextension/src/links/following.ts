// What a click on a link into the vault does, wherever in the page it stands.
import { EditorView } from '@codemirror/view';
import type { CommandRegistry } from '@lumino/commands';

import { Commands } from '../commands';
import type { LinkResolver } from '../model/resolver';
import type { IKnowledgeBase, INavigator } from '../tokens';
import { folderOf } from '../ui/text';
import { linkAtCursor } from './editor';
import type { Sources } from './sources';

/** Rendered links, and links in the text of an editor. */
export const LINKS = 'a.kb-link, .jp-kb-wikilink';

/** Where a link leads: to a place, or nowhere for a reason, with near names. */
export interface Destination {
  /** As it is written; '' for a link that says only where it leads. */
  target: string;
  file: string | null;
  headingPath: string | null;
  missing: boolean;
  reason: string | null;
  suggestions: readonly string[];
}

export class Following {
  constructor(
    private readonly _kb: IKnowledgeBase,
    private readonly _navigator: INavigator,
    private readonly _commands: CommandRegistry,
    private readonly _resolver: LinkResolver,
    private readonly _sources: Sources
  ) {}

  /** One listener for all links of the page. */
  listen(): void {
    // last of all: a widget or a panel may take the links in it for something else
    document.addEventListener('click', event => this._click(event));
    document.addEventListener('focusin', ({ target }) => {
      this._editor = (target instanceof Element && target.closest<HTMLElement>('.cm-editor')) || this._editor;
    });
  }

  /** The link that has the focus, or the one at the cursor of the editor that has it or had it last; null without one. */
  current(): HTMLElement | null {
    const focused = document.activeElement;
    const link = focused?.closest<HTMLElement>(LINKS);
    if (link) {
      return link;
    }
    const editor = focused?.closest<HTMLElement>('.cm-editor') ?? this._editor;
    const view = editor?.checkVisibility() ? EditorView.findFromDOM(editor) : null;
    return view ? linkAtCursor(view) : null;
  }

  /** Whether an element says where it leads. */
  isLink(element: HTMLElement): boolean {
    return Boolean(element.dataset['kbTarget'] || element.dataset['kbFile']);
  }

  /** What an element leads to as the vault is now; null where the server cannot say. */
  async destination(element: HTMLElement): Promise<Destination | null> {
    const { kbTarget: target = '', kbFile: file, kbHeading: heading } = element.dataset;
    if (!target) {
      return file
        ? { target, file, headingPath: heading ?? null, missing: false, reason: null, suggestions: [] }
        : null;
    }
    const found = await this._resolver.resolve(this._sources.fileOf(element), target);
    return (
      found && {
        target,
        file: found.target?.file ?? null,
        headingPath: found.target?.heading_path ?? null,
        missing: found.status !== 'resolved',
        reason: found.reason,
        suggestions: found.suggestions
      }
    );
  }

  /** Go where a link leads; where no note has its name, offer to make one. */
  async follow(element: HTMLElement, beside = false): Promise<void> {
    const found = await this.destination(element);
    if (!found) {
      return;
    }
    if (found.file !== null) {
      const { file, headingPath } = found;
      await this._navigator.open({ file, headingPath }, { how: beside ? 'beside' : 'open' });
    } else if (found.missing && this._commands.hasCommand(Commands.createNote)) {
      await this.create(element, found.target);
    }
  }

  /** Ask for a note with the name in a target, in the folder of the note that links to it. */
  async create(element: Element, target: string): Promise<void> {
    const name = (target.split('#')[0] ?? '').trim();
    const folder = folderOf(this._sources.fileOf(element) ?? '');
    await this._commands.execute(Commands.createNote, { name, folder });
  }

  /** The command palette takes the focus while a command on the link is chosen in it. */
  private _editor: HTMLElement | null = null;

  private _click(event: MouseEvent): void {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>('a') : null;
    if (!element || event.button !== 0 || this._kb.state !== 'ready') {
      return;
    }
    if (element.matches('a.kb-link[data-kb-file], a.kb-link[data-kb-target]')) {
      event.preventDefault();
      void this.follow(element, event.ctrlKey || event.metaKey);
    }
  }
}
