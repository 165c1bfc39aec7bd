// What is not complete: notes that are still read, vectors that are still made, a server part of another version.
import { Clipboard } from '@jupyterlab/apputils';
import { pauseIcon, runIcon } from '@jupyterlab/ui-components';
import { useEffect, useState } from 'react';

import { apiIndex } from '../../api/client';
import type { ModelStatus } from '../../api/types';
import { IconButton, LinkButton, ProgressBar } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { warningIcon } from '../../ui/icons';
import { amount, timeLeft } from '../../ui/text';
import { fits, VERSION } from '../../version';
import { useSearch } from './context';
import { UPDATE } from './errors';

export function Banners(): JSX.Element {
  const { kb, model } = useSearch();
  useSignals(kb.statusChanged);
  const indexing = kb.status?.indexing ?? model.found?.indexing;
  const meaning = kb.status?.model;
  return (
    <>
      <OtherVersion />
      {indexing && <Reading done={indexing[0] ?? 0} total={indexing[1] ?? 0} />}
      {meaning && model.mode !== 'text' && meaning.problem && <MeaningOff model={meaning} />}
      {meaning && !meaning.problem && meaning.embedded < meaning.chunks && <Preparing model={meaning} />}
    </>
  );
}

function Reading({ done, total }: { done: number; total: number }): JSX.Element {
  const { kb } = useSearch();
  const { trans } = kb;
  return (
    <div className="jp-kb-search-banner">
      <p role="status">
        {total
          ? trans.__(
              'Reading notes: %1 of %2. Results cover what has been read.',
              amount(done),
              amount(total)
            )
          : trans.__('Reading notes. Results cover what has been read.')}
      </p>
      {total > 0 && <ProgressBar value={done / total} label={trans.__('Reading notes')} />}
    </div>
  );
}

function Preparing({ model }: { model: ModelStatus }): JSX.Element {
  const { kb } = useSearch();
  const { trans } = kb;
  const [asked, ask] = useState(false);
  const share = model.chunks ? model.embedded / model.chunks : 0;
  const percent = Math.floor(share * 100);
  const paused = model.paused ?? false;
  const title = paused ? trans.__('Meaning search paused') : trans.__('Preparing meaning search');
  const left = !paused && typeof model.seconds_left === 'number' ? timeLeft(model.seconds_left, trans) : null;
  const done = trans.__('%1 of %2 passages', amount(model.embedded), amount(model.chunks));
  const toggle = (): void => {
    ask(true);
    void kb.client
      .pauseEmbedding(!paused)
      .then(() => kb.refresh())
      .finally(() => ask(false));
  };
  return (
    <div className="jp-kb-search-banner">
      <div className="jp-kb-search-banner-head">
        <strong className="jp-kb-fill">{title}</strong>
        <span className="jp-kb-search-percent">{trans.__('%1 %', percent)}</span>
        <IconButton
          icon={paused ? runIcon : pauseIcon}
          label={paused ? trans.__('Resume') : trans.__('Pause')}
          disabled={asked}
          onClick={toggle}
        />
      </div>
      <ProgressBar value={share} label={title} />
      <p>
        {`${[done, left].filter(Boolean).join(', ')}. `}
        {trans.__('Text results are complete, results by meaning are not yet.')}
      </p>
      <span className="jp-kb-spoken" role="status">
        {`${title}, ${trans.__('%1 %', percent - (percent % 25))}`}
      </span>
    </div>
  );
}

function MeaningOff({ model: { problem, hint } }: { model: ModelStatus }): JSX.Element {
  const { kb, model } = useSearch();
  const { trans } = kb;
  return (
    <div className="jp-kb-search-banner">
      <div className="jp-kb-search-banner-head">
        <warningIcon.react tag="span" className="jp-kb-icon" />
        <strong className="jp-kb-fill">{trans.__('Meaning search is off')}</strong>
      </div>
      <p>{trans.__('The model could not be loaded. Text search is not affected.')}</p>
      <details>
        <summary>{trans.__('Details')}</summary>
        <pre>{[problem, hint].filter(Boolean).join('\n')}</pre>
      </details>
      <div className="jp-kb-search-links">
        <LinkButton onClick={() => void kb.refresh().then(() => model.refresh())}>
          {trans.__('Try again')}
        </LinkButton>
        <LinkButton onClick={() => model.setMode('text')}>{trans.__('Use text only')}</LinkButton>
      </div>
    </div>
  );
}

function OtherVersion(): JSX.Element | null {
  const { kb } = useSearch();
  const { trans } = kb;
  const [server, setServer] = useState<string | null>(null);
  const [copied, setCopied] = useState(false);
  const settings = kb.state === 'ready' ? kb.client.settings : null;
  useEffect(() => {
    if (settings) {
      // a server part from before versions were told has no answer to this
      apiIndex(settings).then(
        index => setServer(index.version),
        () => setServer(null)
      );
    }
  }, [settings, kb.vault]);
  if (server === null || fits(server)) {
    return null;
  }
  return (
    <div className="jp-kb-search-banner" role="alert">
      <div className="jp-kb-search-banner-head">
        <warningIcon.react tag="span" className="jp-kb-icon" />
        <strong className="jp-kb-fill">
          {trans.__('The server part is version %1, this page needs %2', server, VERSION)}
        </strong>
      </div>
      <p>{trans.__('Search works; editing is off until both match.')}</p>
      <div className="jp-kb-search-links">
        <LinkButton
          onClick={() => {
            Clipboard.copyToSystem(UPDATE);
            setCopied(true);
          }}
        >
          {copied ? trans.__('Copied') : trans.__('Copy update command')}
        </LinkButton>
      </div>
    </div>
  );
}
