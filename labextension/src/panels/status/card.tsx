// The card above the status bar: both indexes, what is still to do and where it is done, and what can be done about it.
import { ReactWidget } from '@jupyterlab/apputils';
import { checkIcon, ellipsesIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import { Commands } from '../../commands';
import type { Progress } from '../../model/progress';
import type { IKnowledgeBase } from '../../tokens';
import { Button, IconButton, LinkButton, ProgressBar } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { errorIcon, pauseIcon, playIcon } from '../../ui/signs';
import { openMenu } from '../../ui/menu';
import { amount, timeLeft } from '../../ui/text';

export interface CardContext {
  kb: IKnowledgeBase;
  progress: Progress;
  commands: CommandRegistry;
  close: () => void;
}

export class StatusCard extends ReactWidget {
  constructor(private readonly _context: CardContext) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-status-card');
    this.addClass('jp-kb-floating');
    this.node.setAttribute('role', 'dialog');
    this.node.setAttribute('aria-label', _context.kb.trans.__('Knowledge base status'));
    this.node.tabIndex = -1;
  }

  protected override render(): JSX.Element {
    return <Card {...this._context} />;
  }
}

function Card(context: CardContext): JSX.Element {
  const { kb, progress, commands, close } = context;
  const { trans, status, vault } = kb;
  useSignals(progress.changed, kb.changed);
  const run = (command: string): void => {
    close();
    void commands.execute(command);
  };
  const { phase } = progress;
  const more = (event: { currentTarget: Element }): void => {
    void openMenu(
      [
        {
          label: trans.__('Choose Notes Folder…'),
          run: () => run(Commands.chooseVault),
          disabled: kb.vaults.length < 2
        },
        {
          label: trans.__('Update Index…'),
          run: () => run(Commands.rebuild),
          disabled: kb.state !== 'ready'
        },
        'separator',
        {
          label: trans.__('Settings'),
          run: () => {
            close();
            void commands.execute('settingeditor:open', { query: trans.__('Knowledge base') });
          }
        }
      ],
      event.currentTarget
    );
  };
  return (
    <>
      <div className="jp-kb-card-body">
        <div className="jp-kb-card-row">
          <h3 className="jp-kb-fill">{trans.__('Knowledge base')}</h3>
          <span className="jp-kb-small jp-kb-dim jp-kb-cut">{vault?.name}</span>
        </div>
        {kb.state === 'missing' || kb.state === 'failed' ? (
          <Off kb={kb} />
        ) : (
          status && (
            <>
              <Text context={context} />
              <Meaning context={context} />
              <div className="jp-kb-card-row jp-kb-small">
                <span className="jp-kb-fill">{trans.__('Problems in notes')}</span>
                {status.diagnostics ? (
                  <LinkButton onClick={() => run(Commands.diagnostics)} title={trans.__('Open diagnostics')}>
                    {amount(status.diagnostics)}
                  </LinkButton>
                ) : (
                  <span className="jp-kb-dim">{trans.__('none')}</span>
                )}
              </div>
            </>
          )
        )}
      </div>
      <div className="jp-kb-card-foot">
        {phase === 'meaning' && (
          <Button kind="quiet" icon={pauseIcon} onClick={() => void progress.pause(true)}>
            {trans.__('Pause')}
          </Button>
        )}
        {progress.paused && (
          <Button kind="quiet" icon={playIcon} onClick={() => void progress.pause(false)}>
            {trans.__('Resume')}
          </Button>
        )}
        {phase === 'off' && (
          <Button kind="quiet" onClick={() => void kb.refresh()}>
            {trans.__('Check again')}
          </Button>
        )}
        <Button kind="quiet" onClick={() => run(Commands.diagnostics)}>
          {trans.__('Open diagnostics')}
        </Button>
        <span className="jp-kb-fill" />
        <IconButton icon={ellipsesIcon} label={trans.__('More')} menu onClick={more} />
      </div>
    </>
  );
}

function Off({ kb }: { kb: IKnowledgeBase }): JSX.Element {
  const { trans, problem } = kb;
  return (
    <div className="jp-kb-card-off">
      <errorIcon.react tag="span" className="jp-kb-icon" />
      <div>
        <div>
          {kb.state === 'missing'
            ? trans.__('The server part is not running')
            : problem?.code === 'unreachable'
              ? trans.__('The server does not answer')
              : trans.__('The notes folder cannot be used')}
        </div>
        <p className="jp-kb-small jp-kb-dim">
          {kb.state === 'missing' || problem?.code === 'unreachable'
            ? trans.__(
                'Search, links and guarded editing need it. Your notes are not affected and open as usual in the file browser.'
              )
            : (problem?.message ?? '')}
        </p>
      </div>
    </div>
  );
}

function Text({ context: { kb, progress } }: { context: CardContext }): JSX.Element {
  const { trans, status } = kb;
  const { reading } = progress;
  return (
    <>
      <div className="jp-kb-card-row jp-kb-small">
        <span className="jp-kb-fill">{trans.__('Text index')}</span>
        {reading ? (
          <span className="jp-kb-dim">
            {trans.__('%1 of %2', amount(reading.done), amount(reading.total))}
          </span>
        ) : (
          <span className="jp-kb-card-ok">
            <checkIcon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />
            {trans._n('%2 note', '%2 notes', status?.notes ?? 0, amount(status?.notes ?? 0))}
          </span>
        )}
      </div>
      {reading && (
        <>
          <ProgressBar
            value={reading.total ? reading.done / reading.total : null}
            label={trans.__('Text index')}
          />
          {status?.seconds_left !== null && status?.seconds_left !== undefined && (
            <div className="jp-kb-tiny jp-kb-dim jp-kb-card-note">{timeLeft(status.seconds_left, trans)}</div>
          )}
        </>
      )}
    </>
  );
}

function Meaning({ context: { kb, progress } }: { context: CardContext }): JSX.Element {
  const { trans, status } = kb;
  const model = status?.model ?? null;
  const made = progress.made;
  const label = trans.__('Meaning search');
  if (!model || !made) {
    return (
      <div className="jp-kb-card-row jp-kb-small">
        <span className="jp-kb-fill">{label}</span>
        <span className="jp-kb-dim">{trans.__('off')}</span>
      </div>
    );
  }
  const complete = made.done >= made.total;
  const where = model.server ? trans.__('sent to %1', model.server) : trans.__('stays on this computer');
  const left = progress.secondsLeft;
  const notes = [
    progress.paused && !complete ? trans.__('paused') : null,
    !complete && !progress.paused && left !== null ? timeLeft(left, trans) : null,
    where
  ].filter(Boolean);
  return (
    <>
      <div className="jp-kb-card-row jp-kb-small">
        <span className="jp-kb-fill">{label}</span>
        {model.problem && !complete ? (
          <span className="jp-kb-card-problem">{trans.__('off')}</span>
        ) : complete ? (
          <span className="jp-kb-card-ok">
            <checkIcon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />
            {trans.__('complete')}
          </span>
        ) : (
          <span className="jp-kb-dim jp-kb-count">
            {trans.__('%1 of %2 passages', amount(made.done), amount(made.total))}
          </span>
        )}
      </div>
      {!complete && !model.problem && (
        <ProgressBar value={made.total ? made.done / made.total : null} label={label} />
      )}
      <div className="jp-kb-tiny jp-kb-dim jp-kb-card-note">{model.problem ?? notes.join(' · ')}</div>
    </>
  );
}
