// The text as JupyterLab renders Markdown, drawn again a moment after each change.
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { type IRenderMimeRegistry, RenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Contents } from '@jupyterlab/services';
import { PanelLayout, Widget } from '@lumino/widgets';

const MIME = 'text/markdown';
const FRONT_MATTER = /^\ufeff?---[ \t]*\n(?:[\s\S]*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/;
/** Milliseconds after the last change. */
const AFTER = 150;

export interface PreviewOptions {
  rendermime: IRenderMimeRegistry;
  contents: Contents.IManager;
  /** Where Jupyter's contents have the note; null where they have it not. */
  path: string | null;
  label: string;
}

export class Preview extends Widget {
  constructor({ rendermime, contents, path, label }: PreviewOptions) {
    super();
    this.addClass('jp-kb-preview');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', label);
    this.node.tabIndex = 0; // it scrolls, so keys must reach it
    const resolver = path === null ? null : new RenderMimeRegistry.UrlResolver({ path, contents });
    this._rendermime = resolver ? rendermime.clone({ resolver }) : rendermime;
    this._renderer = this._rendermime.createRenderer(MIME);
    const layout = new PanelLayout();
    layout.addWidget(this._renderer);
    this.layout = layout;
  }

  /** The blocks of the rendered text. */
  get blocks(): HTMLElement[] {
    return Array.from(this._renderer.node.children).filter(child => child instanceof HTMLElement);
  }

  /** How many characters at the beginning of the text are not shown. */
  get skipped(): number {
    return FRONT_MATTER.exec(this._text)?.[0].length ?? 0;
  }

  /** What is to be shown, in a moment; not at all while hidden. */
  set text(text: string) {
    if (text !== this._text) {
      this._text = text;
      this.draw();
    }
  }

  draw(): void {
    clearTimeout(this._timer);
    if (this.isVisible && this._drawn !== this._text) {
      this._timer = setTimeout(() => void this._draw(), this._drawn === null ? 0 : AFTER);
    }
  }

  protected override onAfterShow(): void {
    this.draw();
  }

  protected override onAfterAttach(): void {
    this.draw();
  }

  override dispose(): void {
    clearTimeout(this._timer);
    super.dispose();
  }

  private async _draw(): Promise<void> {
    if (this._drawing || this.isDisposed) {
      return;
    }
    this._drawing = true;
    try {
      while (this._drawn !== this._text && !this.isDisposed) {
        const text = this._text;
        const top = this.node.scrollTop;
        const data = { [MIME]: text.replace(FRONT_MATTER, '') };
        await this._renderer.renderModel(this._rendermime.createModel({ data, trusted: false }));
        this._drawn = text;
        this.node.scrollTop = top;
      }
    } finally {
      this._drawing = false;
    }
  }

  private _text = '';
  private _drawn: string | null = null;
  private _drawing = false;
  private _timer: ReturnType<typeof setTimeout> | undefined;
  private readonly _rendermime: IRenderMimeRegistry;
  private readonly _renderer: IRenderMime.IRenderer;
}
