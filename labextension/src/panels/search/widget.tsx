// The search panel as a widget: what comes to it from JupyterLab, and where the focus goes back to.
import { ReactWidget } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';

import type { SearchModel } from '../../model/search';
import type { IKnowledgeBase, INavigator } from '../../tokens';
import { SearchView } from './panel';

export interface SearchPanelOptions {
  kb: IKnowledgeBase;
  model: SearchModel;
  commands: CommandRegistry;
  navigator: INavigator;
  /** Give the focus to what is in front in the main area. */
  leave: () => void;
}

export class SearchPanel extends ReactWidget {
  constructor(private readonly _options: SearchPanelOptions) {
    super();
    this.addClass('jp-kb-search');
    this.node.addEventListener('focusin', event => this._enter(event.relatedTarget));
  }

  protected override render(): JSX.Element {
    return (
      <SearchView
        {...this._options}
        toField={() => this.focusField(false)}
        toList={() => this._focusList()}
        back={() => this.back()}
      />
    );
  }

  /** Put the focus into the field; `all`: with its text selected. */
  focusField(all: boolean): void {
    const field = this.node.querySelector<HTMLInputElement>('input[type=search]');
    field?.focus();
    if (all) {
      field?.select();
    }
  }

  /** Fill the field, where there is something to fill it with, and put the focus into it. */
  async ready(asked: { query: string; mode?: SearchModel['mode'] } | null): Promise<void> {
    const { model } = this._options;
    if (asked && (asked.query !== model.query || (asked.mode && asked.mode !== model.mode))) {
      model.ask(asked.query, asked.mode);
    }
    await this.renderPromise;
    this.focusField(true);
  }

  /** Where the focus was before it came in gets it back. */
  back(): void {
    const origin = this._origin;
    if (origin?.isConnected && origin !== document.body) {
      origin.focus();
    }
    if (this.node.contains(document.activeElement) || document.activeElement !== origin) {
      this._options.leave();
    }
  }

  /** Remember what has the focus now as the place to go back to. */
  remember(): void {
    this._enter(document.activeElement);
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._options.model.show();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._options.model.show();
    }
  }

  protected override onBeforeHide(message: Message): void {
    super.onBeforeHide(message);
    this._options.model.hide();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    void this.renderPromise?.then(() => this.focusField(false));
  }

  override dispose(): void {
    this._options.model.dispose();
    super.dispose();
  }

  private _focusList(): void {
    const selector =
      '[role=treeitem][tabindex="0"], .jp-kb-search-idle .jp-kb-search-line, .jp-kb-search-none button';
    this.node.querySelector<HTMLElement>(selector)?.focus();
  }

  private _enter(from: EventTarget | null): void {
    if (from instanceof HTMLElement && !this.node.contains(from) && from !== document.body) {
      this._origin = from;
    }
  }

  private _origin: HTMLElement | null = null;
}
