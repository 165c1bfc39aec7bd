// Why nothing can be searched, or why the last search gave no answer: what it means, and one next step.
import { Clipboard } from '@jupyterlab/apputils';
import { copyIcon, folderIcon } from '@jupyterlab/ui-components';

import { Commands } from '../../commands';
import { Button, IconButton, LinkButton, Message } from '../../ui/controls';
import { failedIcon, warningIcon } from '../../ui/icons';
import { useSearch } from './context';

export const GUIDE = 'https://jupyter-kb.readthedocs.io/';
export const UPDATE = 'pip install --upgrade jupyter_kb';
const INSTALL = 'pip install jupyter_kb';
const ENABLE = 'jupyter server extension enable jupyter_kb';

/** Instead of results, where the knowledge base cannot be used at all. */
export function Unavailable(): JSX.Element {
  const { kb, commands } = useSearch();
  const { trans, problem, state } = kb;
  const again = (kind: 'primary' | 'plain' = 'primary'): JSX.Element => (
    <Button kind={kind} onClick={() => void kb.refresh()}>
      {trans.__('Check again')}
    </Button>
  );
  const choose = (): JSX.Element => (
    <Button kind="primary" onClick={() => void commands.execute(Commands.chooseVault)}>
      {trans.__('Choose folder…')}
    </Button>
  );
  if (state === 'empty') {
    return (
      <div className="jp-kb-panel-body jp-kb-search-unavailable">
        <Message icon={folderIcon} title={trans.__('Choose your notes folder')}>
          <p>{trans.__('Any folder of Markdown files will do. Nothing is moved or changed.')}</p>
          <div className="jp-kb-search-buttons">{choose()}</div>
        </Message>
      </div>
    );
  }
  const details = problem
    ? { details: [problem.message, problem.hint, reasonOf(problem.details)].filter(Boolean).join('\n') }
    : {};
  if (state === 'missing') {
    return (
      <div className="jp-kb-panel-body jp-kb-search-unavailable" role="alert">
        <Message
          icon={failedIcon}
          tone="error"
          title={trans.__('The server part is not running')}
          details={trans.__('no answer from %1 (404)', '/kb/api/vaults')}
          detailsLabel={trans.__('Details')}
        >
          <p>
            {trans.__(
              'Search, links and guarded editing need it. Your notes are not affected and open as usual in the file browser.'
            )}
          </p>
          <ol className="jp-kb-search-steps">
            <li>
              <p>1. {trans.__('Install it where JupyterLab runs')}</p>
              <Command text={INSTALL} />
            </li>
            <li>
              <p>2. {trans.__('Switch it on')}</p>
              <Command text={ENABLE} />
            </li>
            <li>
              <p>3. {trans.__('Restart JupyterLab, then check again')}</p>
            </li>
          </ol>
          <div className="jp-kb-search-buttons">
            {again()}
            <Button onClick={() => void window.open(GUIDE, '_blank', 'noopener')}>
              {trans.__('Read the guide')}
            </Button>
          </div>
        </Message>
      </div>
    );
  }
  const unreachable = problem?.code === 'unreachable';
  const gone = !!kb.vault?.problem || problem?.code === 'vault-not-found';
  return (
    <div className="jp-kb-panel-body jp-kb-search-unavailable" role="alert">
      <Message
        icon={failedIcon}
        tone="error"
        title={
          unreachable
            ? trans.__('The server does not answer')
            : gone
              ? trans.__('The notes folder was not found')
              : trans.__('The knowledge base cannot be used')
        }
        detailsLabel={trans.__('Details')}
        {...details}
      >
        <p>
          {unreachable
            ? trans.__('It may have been stopped, or the connection is lost. Your notes are not affected.')
            : gone
              ? trans.__('It may have been moved or its drive is not connected.')
              : trans.__('Your notes are not affected and open as usual in the file browser.')}
        </p>
        <div className="jp-kb-search-buttons">
          {gone && choose()}
          {again(gone ? 'plain' : 'primary')}
        </div>
      </Message>
    </div>
  );
}

/** Above the results that stay, where the last search gave no answer. */
export function SearchProblem(): JSX.Element | null {
  const { kb, model } = useSearch();
  const { trans } = kb;
  const { problem } = model;
  if (!problem) {
    return null;
  }
  const text =
    problem.code === 'timeout'
      ? trans.__('No answer after 10 s.')
      : problem.code === 'unreachable'
        ? trans.__('No answer from the server.')
        : [`${problem.message.charAt(0).toLocaleUpperCase()}${problem.message.slice(1)}.`, problem.hint]
            .filter(Boolean)
            .join(' ');
  return (
    <div className="jp-kb-search-banner jp-kb-mod-line" role="alert">
      <warningIcon.react tag="span" className="jp-kb-icon" />
      <span className="jp-kb-fill">{text}</span>
      <LinkButton onClick={() => model.refresh()}>{trans.__('Try again')}</LinkButton>
    </div>
  );
}

function Command({ text }: { text: string }): JSX.Element {
  const { kb } = useSearch();
  return (
    <div className="jp-kb-search-command">
      <pre className="jp-kb-fill">{text}</pre>
      <IconButton icon={copyIcon} label={kb.trans.__('Copy')} onClick={() => Clipboard.copyToSystem(text)} />
    </div>
  );
}

function reasonOf(details: Record<string, unknown>): string {
  return typeof details['reason'] === 'string' ? details['reason'] : '';
}
