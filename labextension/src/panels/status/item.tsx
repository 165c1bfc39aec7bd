// The item of the status bar: how the knowledge base stands, in a few words; a click opens the card.
import { ReactWidget } from '@jupyterlab/apputils';

import type { Phase, Progress } from '../../model/progress';
import type { IKnowledgeBase } from '../../tokens';
import { useSignals } from '../../ui/hooks';
import { knowledgeBaseIcon, warningIcon } from '../../ui/icons';
import { errorIcon, pauseIcon } from '../../ui/signs';

const ICONS: Partial<Record<Phase, typeof errorIcon>> = {
  off: errorIcon,
  none: warningIcon,
  problems: warningIcon,
  paused: pauseIcon
};

export class StatusItem extends ReactWidget {
  constructor(
    private readonly _kb: IKnowledgeBase,
    private readonly _progress: Progress,
    private readonly _open: () => void
  ) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-status');
    this.addClass('jp-mod-highlight');
  }

  /** The card is open. */
  set expanded(expanded: boolean) {
    this._expanded = expanded;
    this.update();
  }

  protected override render(): JSX.Element {
    return <Item kb={this._kb} progress={this._progress} expanded={this._expanded} onOpen={this._open} />;
  }

  private _expanded = false;
}

interface ItemProps {
  kb: IKnowledgeBase;
  progress: Progress;
  expanded: boolean;
  onOpen: () => void;
}

function Item({ kb, progress, expanded, onOpen }: ItemProps): JSX.Element {
  useSignals(progress.changed);
  const { phase, text } = progress;
  const Icon = (ICONS[phase] ?? knowledgeBaseIcon).react;
  return (
    <button
      type="button"
      className={`jp-kb-status-button jp-kb-mod-${phase}`}
      aria-haspopup="dialog"
      aria-expanded={expanded}
      aria-label={phase === 'starting' ? text : kb.trans.__('Knowledge base: %1', text)}
      title={kb.vault ? kb.trans.__('Knowledge base “%1”', kb.vault.name) : kb.trans.__('Knowledge base')}
      onClick={onOpen}
    >
      <Icon tag="span" className="jp-kb-icon" />
      <span className="jp-kb-status-text" data-widest={progress.widest}>
        {text}
      </span>
    </button>
  );
}
