// The search panel from top to bottom.
import { ellipsesIcon, refreshIcon, addIcon } from '@jupyterlab/ui-components';
import { useMemo, useRef, useState } from 'react';

import { Commands } from '../../commands';
import { useSignals, useWidth } from '../../ui/hooks';
import { IconButton } from '../../ui/controls';
import { Banners } from './banners';
import { Shared, type SearchContext } from './context';
import { Unavailable } from './errors';
import { Field, ModeSwitch } from './field';
import { FilterChips } from './filters';
import { type Zone, Hints } from './hints';
import { Idle } from './idle';
import { moreMenu } from './menus';
import { Results } from './results';

/** Of the panel, in CSS pixels: up to here it is narrow, from there it is wide. */
const NARROW = 260;
const WIDE = 420;

export type SearchViewProps = Omit<SearchContext, 'narrow' | 'wide'>;

export function SearchView(props: SearchViewProps): JSX.Element {
  const { kb, model, commands, navigator, toField, toList, back } = props;
  const root = useRef<HTMLDivElement>(null);
  const width = useWidth(root);
  const [zone, setZone] = useState<Zone | null>(null);
  useSignals(model.changed, kb.settingsChanged);
  const narrow = width > 0 && width <= NARROW;
  const wide = width >= WIDE;
  const shared = useMemo(
    () => ({ kb, model, commands, navigator, toField, toList, back, narrow, wide }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the moves of the focus never change
    [kb, model, commands, navigator, narrow, wide]
  );
  const { trans } = kb;
  const usable = kb.state === 'ready' || kb.state === 'starting';
  return (
    <Shared.Provider value={shared}>
      <div
        className={`jp-kb-panel ${narrow ? 'jp-kb-mod-narrow' : ''}`}
        role="region"
        aria-label={trans.__('Knowledge base')}
        ref={root}
        onFocus={event => setZone(zoneOf(event.target))}
        onBlur={event => setZone(zoneOf(event.relatedTarget))}
      >
        <div className="jp-kb-panel-title">
          <h2>{trans.__('Knowledge base')}</h2>
          {!narrow && commands.hasCommand(Commands.createNote) && (
            <IconButton
              icon={addIcon}
              label={trans.__('New note')}
              disabled={!usable}
              onClick={() => void commands.execute(Commands.createNote)}
            />
          )}
          {!narrow && (
            <IconButton icon={refreshIcon} label={trans.__('Refresh')} onClick={() => refresh(shared)} />
          )}
          <IconButton
            icon={ellipsesIcon}
            label={trans.__('More actions')}
            menu
            onClick={event => void moreMenu(shared, event.currentTarget, () => refresh(shared))}
          />
        </div>
        <div role="search" aria-label={trans.__('Search notes')}>
          <Field />
          {usable && <ModeSwitch />}
          {usable && <FilterChips />}
        </div>
        {usable ? (
          <>
            <Banners />
            {model.found || model.problem || model.pending ? <Results /> : <Idle />}
          </>
        ) : (
          <Unavailable />
        )}
        {usable && kb.settings.hints && zone && <Hints zone={zone} />}
      </div>
    </Shared.Provider>
  );
}

function refresh({ kb, model }: SearchContext): void {
  void kb.refresh().then(() => model.refresh());
}

/** Which part of the panel has the focus. */
function zoneOf(target: EventTarget | null): Zone | null {
  if (!(target instanceof HTMLElement) || !target.closest('.jp-kb-search')) {
    return null;
  }
  if (target.matches('input[type=search]')) {
    return 'field';
  }
  return target.closest('[role=tree]') ? 'results' : target.closest('.jp-kb-search-idle') ? 'idle' : 'other';
}
