// The diagnostics tab: how the knowledge base stands, and what in the notes wants attention.
import { ReactWidget } from '@jupyterlab/apputils';
import { copyIcon, refreshIcon } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';

import { Commands } from '../../commands';
import { DiagnosticsModel } from '../../model/diagnostics';
import { Progress } from '../../model/progress';
import { Button } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { knowledgeBaseIcon } from '../../ui/icons';
import { clock } from '../../ui/text';
import { Checks } from './checks';
import type { DiagnosticsContext } from './context';
import { Problems } from './problems';
import { copyReport } from './report';

export type DiagnosticsOptions = Omit<DiagnosticsContext, 'model' | 'progress'>;

export class DiagnosticsView extends ReactWidget {
  constructor(private readonly _options: DiagnosticsOptions) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-diagnostics');
    this.node.tabIndex = -1;
    this.title.icon = knowledgeBaseIcon;
    this.title.label = _options.kb.trans.__('Knowledge base: diagnostics');
    this.title.caption = this.title.label;
    this.title.closable = true;
    this.model = new DiagnosticsModel(_options.kb);
    this._progress = new Progress(_options.kb);
  }

  readonly model: DiagnosticsModel;

  override dispose(): void {
    if (!this.isDisposed) {
      this.model.dispose();
      this._progress.dispose();
      super.dispose();
    }
  }

  protected override render(): JSX.Element {
    return <View {...this._options} model={this.model} progress={this._progress} />;
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
    (this.node.querySelector<HTMLElement>('button') ?? this.node).focus();
  }

  private readonly _progress: Progress;
}

export function makeDiagnosticsView(options: DiagnosticsOptions): DiagnosticsView {
  return new DiagnosticsView(options);
}

function View(context: DiagnosticsContext): JSX.Element {
  const { kb, model, progress, commands } = context;
  const { trans } = kb;
  useSignals(model.changed, progress.changed, kb.statusChanged);
  return (
    <div className="jp-kb-diagnostics-view">
      <div className="jp-kb-diagnostics-head">
        <h2>{trans.__('Diagnostics')}</h2>
        <span className="jp-kb-dim" role="status">
          {model.pending
            ? trans.__('checking…')
            : model.checked !== null && trans.__('checked %1', clock(model.checked))}
        </span>
        <span className="jp-kb-fill" />
        <Button icon={refreshIcon} onClick={() => void model.check()}>
          {trans.__('Check again')}
        </Button>
        <Button icon={copyIcon} onClick={() => void copyReport(context)}>
          {trans.__('Copy report')}
        </Button>
        <Button disabled={kb.state !== 'ready'} onClick={() => void commands.execute(Commands.rebuild)}>
          {trans.__('Update index…')}
        </Button>
      </div>
      <Checks context={context} />
      {kb.state === 'ready' && <Problems context={context} />}
    </div>
  );
}
