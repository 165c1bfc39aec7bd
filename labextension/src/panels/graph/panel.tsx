// The graph view: toolbar, picture or list, the column beside it, and the row of numbers below.
import { ellipsesIcon } from '@jupyterlab/ui-components';
import { useEffect, useRef, useState } from 'react';

import { type Colouring, isCut, type Steps } from '../../model/graph';
import { MOST } from '../../model/graphData';
import { Button, IconButton, Message, ProgressBar, Segmented } from '../../ui/controls';
import { useSignals, useWidth } from '../../ui/hooks';
import { graphIcon } from '../../ui/icons';
import { errorIcon } from '../../ui/signs';
import { openMenu } from '../../ui/menu';
import { amount, languageOf } from '../../ui/text';
import type { GraphCanvas } from './canvas';
import type { GraphContext } from './context';
import { backIcon, filterIcon, forwardIcon, listIcon } from './icons';
import { List } from './list';
import { Picture } from './picture';
import { Side } from './side';

/** Narrower than this the list is shown unless the graph is asked for. */
const NARROW = 480;
/** Narrower than this there is no column beside the picture. */
const WITH_SIDE = 560;

type View = 'graph' | 'list';

export function Panel({ context }: { context: GraphContext }): JSX.Element {
  const { kb, model } = context;
  const { trans } = kb;
  useSignals(model.changed, kb.settingsChanged);
  const panel = useRef<HTMLDivElement>(null);
  const width = useWidth(panel);
  const canvas = useRef<GraphCanvas | null>(null);
  const [chosen, setChosen] = useState<View | null>(null);
  const [drawable, setDrawable] = useState(true);
  const view: View = drawable ? (chosen ?? (width > 0 && width < NARROW ? 'list' : 'graph')) : 'list';
  useEffect(() => canvas.current?.resize(), [width]);

  const { centre, picture } = model;
  const counts = model.counts;
  const more = (event: { currentTarget: Element }): void => {
    const colour = (value: Colouring, label: string): object => ({
      label,
      checked: model.colouring === value,
      run: () => model.setColouring(value)
    });
    void openMenu(
      [
        colour('none', trans.__('One Colour')),
        colour('folder', trans.__('Colour by Folder')),
        colour('tag', trans.__('Colour by Tag')),
        'separator',
        { label: trans.__('Fit to View'), disabled: view === 'list', run: () => canvas.current?.fit() },
        { label: trans.__('Whole Vault'), checked: centre.file === null, run: () => void model.go(null) }
      ] as Parameters<typeof openMenu>[0],
      event.currentTarget
    );
  };
  return (
    <div className="jp-kb-graph" ref={panel}>
      <div className="jp-kb-graph-tools" role="toolbar" aria-label={trans.__('Graph')}>
        <IconButton
          icon={backIcon}
          label={trans.__('Back')}
          disabled={!model.canBack}
          onClick={() => model.back()}
        />
        <IconButton
          icon={forwardIcon}
          label={trans.__('Forward')}
          disabled={!model.canForward}
          onClick={() => model.forward()}
        />
        <h2 className="jp-kb-cut jp-kb-fill" title={model.title} lang={languageOf(model.title)}>
          {centre.file === null ? (
            <b>{trans.__('Whole vault')}</b>
          ) : (
            <>
              <span className="jp-kb-dim">{trans.__('Around')}</span> <b>{model.title}</b>
            </>
          )}
        </h2>
        {centre.file !== null && (
          <>
            <span className="jp-kb-small jp-kb-dim jp-kb-graph-wide">{trans.__('Steps')}</span>
            <Segmented
              label={trans.__('Steps from this note')}
              value={String(centre.steps)}
              choices={['1', '2', '3'].map(value => ({ value, label: value }))}
              onChange={value => model.setSteps(Number(value) as Steps)}
            />
          </>
        )}
        <div className="jp-kb-field jp-kb-graph-filter">
          <filterIcon.react tag="span" className="jp-kb-icon" />
          <input
            type="search"
            aria-label={trans.__('Show only names with')}
            placeholder={trans.__('Show only names with…')}
            value={model.filter}
            onChange={event => model.setFilter(event.target.value)}
            onKeyDown={event => {
              if (event.key === 'Escape' && model.filter) {
                event.stopPropagation();
                model.setFilter('');
              }
            }}
          />
        </div>
        <Segmented
          label={trans.__('View')}
          value={view}
          disabled={!drawable}
          choices={[
            { value: 'graph', label: choiceLabel(graphIcon, trans.__('Graph')), name: trans.__('Graph') },
            { value: 'list', label: choiceLabel(listIcon, trans.__('List')), name: trans.__('List') }
          ]}
          onChange={setChosen}
        />
        <IconButton icon={ellipsesIcon} label={trans.__('Graph settings')} menu onClick={more} />
      </div>
      {!drawable && (
        <p className="jp-kb-graph-notice jp-kb-small">
          {trans.__('This browser cannot draw the graph (WebGL is off), so it is shown as a list.')}
        </p>
      )}
      <div className="jp-kb-graph-body" aria-busy={model.pending}>
        {view === 'graph' ? (
          <Picture context={context} canvas={canvas} onCannotDraw={() => setDrawable(false)} />
        ) : (
          <List context={context} />
        )}
        <Over context={context} />
        {width >= WITH_SIDE && <Side context={context} />}
      </div>
      <div className="jp-kb-graph-foot" role="status">
        <span>
          {trans.__(
            '%1, %2',
            trans._n('%2 note', '%2 notes', counts.notes, amount(counts.notes)),
            trans._n('%2 link', '%2 links', counts.links, amount(counts.links))
          )}
        </span>
        {counts.missing > 0 && (
          <span>
            {trans._n('%2 missing note', '%2 missing notes', counts.missing, amount(counts.missing))}
          </span>
        )}
        <span className="jp-kb-fill" />
        <span>{foot()}</span>
      </div>
    </div>
  );

  function foot(): string {
    if (isCut(picture)) {
      return trans.__('Showing the %1 nearest of %2 notes', amount(MOST), amount(picture.total));
    }
    return picture.beyond
      ? trans._n(
          '%2 more note within 3 steps',
          '%2 more notes within 3 steps',
          picture.beyond,
          amount(picture.beyond)
        )
      : '';
  }
}

function choiceLabel(icon: typeof graphIcon, text: string): JSX.Element {
  return (
    <>
      <icon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />
      <span className="jp-kb-graph-wide">{text}</span>
    </>
  );
}

/** What is said above the picture: it is awaited, it failed, there is nothing. */
function Over({ context }: { context: GraphContext }): JSX.Element | null {
  const { kb, model } = context;
  const { trans } = kb;
  const { picture, centre } = model;
  if (model.problem) {
    return (
      <div className="jp-kb-graph-over">
        <Message
          icon={errorIcon}
          tone="error"
          title={trans.__('The graph could not be read')}
          details={model.problem.message}
          detailsLabel={trans.__('Details')}
        >
          <p>{trans.__('Your notes are not affected.')}</p>
          <Button onClick={() => void model.again()}>{trans.__('Try again')}</Button>
        </Message>
      </div>
    );
  }
  if (model.pending && !picture.nodes.size) {
    return (
      <div className="jp-kb-graph-over">
        <Message title={trans.__('Reading links…')}>
          {model.progress !== null && (
            <ProgressBar value={model.progress} label={trans.__('Reading links')} />
          )}
        </Message>
      </div>
    );
  }
  if (!model.pending && centre.file !== null && !picture.lines.length && picture.nodes.size) {
    return (
      <div className="jp-kb-graph-over jp-kb-mod-empty">
        <Message icon={graphIcon} title={trans.__('No links yet')}>
          <p>{trans.__('Type [[ in this note to make the first one.')}</p>
        </Message>
      </div>
    );
  }
  return null;
}
