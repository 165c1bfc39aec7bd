// Which of text and preview is shown: what the reader chose, as far as there is room for it.
import { Signal } from '@lumino/signaling';

export type View = 'source' | 'split' | 'preview';

const KEY = 'jupyter-kb:editor-view';
const VIEWS: readonly View[] = ['source', 'split', 'preview'];
/** Below this width, in pixels, labels fold to icons and there is no split. */
const NARROW = 640;

export class Layout {
  readonly changed = new Signal<this, void>(this);

  constructor() {
    try {
      this._chosen = VIEWS.find(view => view === localStorage.getItem(KEY)) ?? 'split';
    } catch {
      // a browser without storage begins with the split each time
    }
  }

  get narrow(): boolean {
    return this._width > 0 && this._width < NARROW;
  }

  get shown(): View {
    return this.narrow && this._chosen === 'split' ? 'source' : this._chosen;
  }

  choose(view: View): void {
    this._chosen = view;
    try {
      localStorage.setItem(KEY, view);
    } catch {
      // it holds for this editor
    }
    this.changed.emit();
  }

  /** The next of the views that there is room for. */
  cycle(): void {
    const views = this.narrow ? VIEWS.filter(view => view !== 'split') : VIEWS;
    this.choose(views[(views.indexOf(this.shown) + 1) % views.length] ?? 'source');
  }

  set width(width: number) {
    if (width !== this._width) {
      this._width = width;
      this.changed.emit();
    }
  }

  private _chosen: View = 'split';
  private _width = 0;
}
