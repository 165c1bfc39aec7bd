// A panel that is a shell until it is first shown; only then is its code fetched.
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

export class LazyPanel extends Widget {
  /** Whether to be activated moves the focus in. Off while JupyterLab puts back its layout: nobody asked for it then. */
  takesFocus = true;

  /** `load` makes the content; `failed` is the sentence that is shown where that cannot be done. */
  constructor(
    private readonly _load: () => Promise<Widget>,
    private readonly _failed: string
  ) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-lazy');
    this.layout = new PanelLayout();
  }

  /** The content, fetched if need be. */
  content(): Promise<Widget> {
    this._content ??= this._load().then(
      widget => {
        this.node.textContent = ''; // what was said of an attempt before
        (this.layout as PanelLayout).addWidget(widget);
        return widget;
      },
      (error: unknown) => {
        this._content = null;
        this.node.textContent = this._failed;
        throw error;
      }
    );
    return this._content;
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this.content();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      void this.content();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    const focus = this.takesFocus;
    void this.content().then(widget => focus && widget.activate());
  }

  private _content: Promise<Widget> | null = null;
}
