// The graph's tab: its title follows the note in the centre, and it rests while it is hidden.
import { ReactWidget } from '@jupyterlab/apputils';
import type { Message } from '@lumino/messaging';
import type { ISignal } from '@lumino/signaling';

import { GraphModel } from '../../model/graph';
import { graphIcon } from '../../ui/icons';
import type { GraphContext } from './context';
import { layout } from './layout';
import { Panel } from './panel';

export interface GraphOptions extends Omit<GraphContext, 'model'> {
  /** Told when the theme's colours are others. */
  themeChanged: ISignal<unknown, unknown> | null;
}

export class GraphView extends ReactWidget {
  constructor(private readonly _options: GraphOptions) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-graph-view');
    this.model = new GraphModel(_options.kb, layout);
    this.title.icon = graphIcon;
    this.title.closable = true;
    this.model.changed.connect(this._name, this);
    _options.themeChanged?.connect(this._recolour, this);
    this._name();
  }

  readonly model: GraphModel;

  override dispose(): void {
    if (!this.isDisposed) {
      this._options.themeChanged?.disconnect(this._recolour, this);
      this.model.dispose();
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return <Panel key={this._theme} context={{ ...this._options, model: this.model }} />;
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.model.show();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this.model.show();
    }
  }

  protected override onBeforeHide(message: Message): void {
    super.onBeforeHide(message);
    this.model.hide();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.node.querySelector<HTMLElement>('[role=application], [role=treeitem][tabindex="0"]')?.focus();
  }

  /** The colours are read when the panel is made. */
  private _recolour(): void {
    this._theme += 1;
    this.update();
  }

  private _name(): void {
    const { trans } = this._options.kb;
    const { file } = this.model.centre;
    this.title.label = file === null ? trans.__('Graph') : trans.__('Graph: %1', this.model.title);
    this.title.caption = this.title.label;
  }

  private _theme = 0;
}

export function makeGraphView(options: GraphOptions): GraphView {
  return new GraphView(options);
}
