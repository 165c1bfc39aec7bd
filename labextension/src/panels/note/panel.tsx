// The note panel: what the note in front is called, how it is built, and what it is tied to.
import { ReactWidget } from '@jupyterlab/apputils';
import { ellipsesIcon } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import { useEffect, useState } from 'react';

import { Commands } from '../../commands';
import { Button, IconButton, Message as Notice } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { graphIcon, noteIcon, pinIcon } from '../../ui/icons';
import { type MenuEntry, openMenu } from '../../ui/menu';
import { languageOf } from '../../ui/text';
import { nameOf } from '../../model/linkList';
import { BrokenSection } from './broken';
import type { Host } from './host';
import { IncomingSection, OutgoingSection } from './links';
import { MentionsSection } from './mentions';
import { OutlineSection, type OutlineState } from './outline';
import { PropertiesSection } from './properties';

const UNFOLDED: OutlineState = { folded: new Set(), filter: null };

export class NotePanel extends ReactWidget {
  constructor(private readonly _host: Host) {
    super();
    this.addClass('jp-kb-note');
  }

  /** Show a note, whatever is in front. */
  showNote(file: string): Promise<void> {
    return this._host.model.show(file);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._host.model.dispose();
    }
    super.dispose();
  }

  protected override render(): JSX.Element {
    return <NoteView host={this._host} />;
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._host.model.seen(true);
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this._host.model.seen(true);
    }
  }

  protected override onBeforeHide(message: Message): void {
    this._host.model.seen(false);
    super.onBeforeHide(message);
  }

  protected override onBeforeDetach(message: Message): void {
    this._host.model.seen(false);
    super.onBeforeDetach(message);
  }

  /** The focus goes to the outline, or to the first thing that can be done. */
  protected override onActivateRequest(): void {
    const row = this.node.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]');
    (row ?? this.node.querySelector<HTMLElement>('button'))?.focus();
  }
}

export function NoteView({ host }: { host: Host }): JSX.Element {
  const { model, kb } = host;
  const { trans } = kb;
  useSignals(model.changed, kb.changed);
  // which headings are folded is remembered as long as the panel lives
  const [states, setStates] = useState<ReadonlyMap<string, OutlineState>>(new Map());
  const { file, outline } = model;
  useEffect(() => host.layout.forNote(), [host, file]);
  const state = (file !== null && states.get(file)) || UNFOLDED;
  const onState = (next: OutlineState): void => {
    if (file !== null) {
      setStates(new Map(states).set(file, next));
    }
  };
  return (
    <div className="jp-kb-panel" role="region" aria-label={trans.__('Note')}>
      <TitleBar host={host} state={state} onState={onState} />
      {kb.state === 'missing' || kb.state === 'failed' ? (
        <Off host={host} />
      ) : file === null ? (
        <Empty host={host} />
      ) : (
        <div className="jp-kb-panel-body">
          <header className="jp-kb-note-name">
            <div className="jp-kb-cut" lang={languageOf(outline?.title ?? '')} title={outline?.title ?? ''}>
              {outline?.title ?? nameOf(file)}
            </div>
            <div className="jp-kb-tiny jp-kb-dim jp-kb-cut" title={file}>
              {file.replace(/\//g, ' / ')}
            </div>
          </header>
          {model.problem && (
            <Notice
              tone="error"
              title={trans.__('This note could not be read')}
              details={model.problem.message}
              detailsLabel={trans.__('Details')}
            >
              <p>{model.problem.hint ?? trans.__('Nothing has been changed.')}</p>
              <Button onClick={() => void model.reload()}>{trans.__('Try again')}</Button>
            </Notice>
          )}
          <OutlineSection host={host} state={state} onState={onState} />
          <IncomingSection host={host} />
          <OutgoingSection host={host} />
          <BrokenSection host={host} />
          <PropertiesSection host={host} />
          <MentionsSection host={host} />
        </div>
      )}
    </div>
  );
}

interface TitleProps {
  host: Host;
  state: OutlineState;
  onState: (state: OutlineState) => void;
}

function TitleBar({ host, state, onState }: TitleProps): JSX.Element {
  const { model, kb } = host;
  const { trans } = kb;
  const { file, pinned } = model;
  const graph = file !== null && host.has(Commands.graph);
  const showGraph = (): void => void host.run(Commands.graph, { file });
  const more = (at: Element): void => {
    const entries: (MenuEntry | null)[] = [
      { label: trans.__('Choose Note…'), run: () => void chooseNote(host), disabled: kb.state !== 'ready' },
      file === null
        ? null
        : { label: trans.__('Keep Showing This Note'), checked: pinned, run: () => model.pin(!pinned) },
      graph ? { label: trans.__('Open Graph'), icon: graphIcon, run: showGraph } : null,
      file === null ? null : { label: trans.__('Open Note'), run: () => host.go({ file }, 'open') },
      file === null
        ? null
        : {
            label: trans.__('Filter Headings'),
            checked: state.filter !== null,
            run: () => onState({ ...state, filter: state.filter === null ? '' : null })
          }
    ];
    void openMenu(
      entries.filter(entry => entry !== null),
      at
    );
  };
  return (
    <div className="jp-kb-panel-title">
      <h2>{trans.__('Note')}</h2>
      {file !== null && (
        <span className="jp-kb-tools">
          <IconButton
            icon={pinIcon}
            label={trans.__('Keep showing this note')}
            pressed={pinned}
            onClick={() => model.pin(!pinned)}
          />
          {graph && <IconButton icon={graphIcon} label={trans.__('Open graph')} onClick={showGraph} />}
        </span>
      )}
      <IconButton
        icon={ellipsesIcon}
        label={trans.__('More')}
        menu
        onClick={event => more(event.currentTarget)}
      />
    </div>
  );
}

async function chooseNote(host: Host): Promise<void> {
  const { pickNote } = await import('../../dialogs/pick');
  const file = await pickNote(host.kb);
  if (file !== null) {
    await host.model.show(file);
  }
}

function Empty({ host }: { host: Host }): JSX.Element {
  const { trans } = host.kb;
  return (
    <div className="jp-kb-note-nothing">
      <Notice icon={noteIcon} title={trans.__('Open a note to see its links')}>
        <p>
          {trans.__(
            'The outline, the notes that link here and the properties of the note in front appear in this panel.'
          )}
        </p>
        {host.has(Commands.search) && (
          <Button onClick={() => void host.run(Commands.search)}>{trans.__('Search notes')}</Button>
        )}
      </Notice>
    </div>
  );
}

function Off({ host }: { host: Host }): JSX.Element {
  const { kb } = host;
  const { trans } = kb;
  const missing = kb.state === 'missing';
  return (
    <div className="jp-kb-note-nothing">
      <Notice
        icon={noteIcon}
        tone="error"
        title={missing ? trans.__('The server part is not running') : trans.__('The notes cannot be read')}
        details={missing ? undefined : kb.problem?.message}
        detailsLabel={trans.__('Details')}
      >
        <p>
          {missing
            ? trans.__(
                'Search, links and guarded editing need it. Your notes are not affected and open as usual in the file browser.'
              )
            : (kb.problem?.hint ?? trans.__('Your notes are not affected.'))}
        </p>
        <Button onClick={() => void kb.refresh()}>{trans.__('Check again')}</Button>
      </Notice>
    </div>
  );
}
