// The one tab that peeking uses again, until the reader wants to keep what is in it.
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Widget } from '@lumino/widgets';

const CLASS = 'jp-kb-peek';

/** Marks a tab as a peek and forgets it as soon as it is kept, changed or closed. */
export class PeekTab {
  /** The tab, or null where nothing is peeked at. */
  get widget(): Widget | null {
    return this._widget;
  }

  hold(widget: Widget, context: DocumentRegistry.Context | undefined): void {
    if (this._widget === widget) {
      return;
    }
    this.keep();
    this._widget = widget;
    widget.title.className += ` ${CLASS}`;
    widget.disposed.connect(() => {
      if (this._widget === widget) {
        this._widget = null;
      }
    });
    context?.model.contentChanged.connect(() => {
      if (this._widget === widget && context.model.dirty) {
        this.keep();
      }
    });
  }

  /** Make the tab an ordinary one. */
  keep(): void {
    if (this._widget) {
      const { title } = this._widget;
      title.className = title.className.replace(` ${CLASS}`, '');
      this._widget = null;
    }
  }

  private _widget: Widget | null = null;
}
