// What was found: how much, by note, with what matched.
import { closeIcon, collapseAllIcon, expandAllIcon, searchIcon } from '@jupyterlab/ui-components';
import { type UIEvent, useEffect, useMemo, useState } from 'react';

import { Commands } from '../../commands';
import { filterClause } from '../../model/filters';
import { type Group, idOf, isByMeaning, leadIn, placeOf, type ResultRow, rowsOf } from '../../model/results';
import type { Hit } from '../../api/types';
import { Caret, Count, IconButton, Message } from '../../ui/controls';
import { meaningIcon, noteIcon, openedIcon, sortIcon } from '../../ui/icons';
import { amount, breadcrumb, languageOf, Marked } from '../../ui/text';
import { type Activation, Tree } from '../../ui/tree';
import { type SearchContext, useSearch } from './context';
import { SearchProblem } from './errors';
import { activate, hitMenu, sortMenu, sortName } from './menus';

/** Milliseconds until a changed number of results is spoken. */
const SPOKEN_AFTER = 500;
/** CSS pixels from the end at which the next page is asked for. */
const NEAR = 400;

const NONE: readonly Group[] = [];

export function Results(): JSX.Element {
  const shared = useSearch();
  const { kb, model } = shared;
  const { trans } = kb;
  const { found } = model;
  const summary = model.slow ? trans.__('Searching…') : found ? summaryOf(shared) : '';
  const groups = found?.groups ?? [];
  const open = groups.some(group => !model.folding.folded.has(group.file));
  const scrolled = (event: UIEvent<HTMLElement>): void => {
    const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
    if (scrollTop + clientHeight > scrollHeight - NEAR) {
      model.more();
    }
  };
  return (
    <>
      <div className="jp-kb-search-summary">
        <span className="jp-kb-cut jp-kb-fill" aria-hidden="true">
          {summary}
        </span>
        <Spoken text={summary} />
        <IconButton
          icon={sortIcon}
          label={trans.__('Sort: %1', sortName(model.sort, shared))}
          menu
          onClick={event => void sortMenu(shared, event.currentTarget)}
        />
        <IconButton
          icon={open || !groups.length ? collapseAllIcon : expandAllIcon}
          label={open || !groups.length ? trans.__('Collapse all') : trans.__('Expand all')}
          disabled={!groups.length}
          onClick={() => model.foldAll(open)}
        />
      </div>
      {model.slow && (
        <div className="jp-kb-search-pending" role="progressbar" aria-label={trans.__('Searching')} />
      )}
      <SearchProblem />
      <div className="jp-kb-panel-body" data-query={found?.query} onScroll={scrolled}>
        {found && (groups.length ? <ResultTree /> : <None />)}
      </div>
    </>
  );
}

function summaryOf({ kb, model }: SearchContext): string {
  const { trans } = kb;
  const { found } = model;
  if (!found) {
    return '';
  }
  const notes = trans
    ._n('%1 note', '%1 notes', found.notes)
    .replace(String(found.notes), amount(found.notes));
  if (!found.total) {
    return found.query.trim() ? trans.__('No section found') : trans.__('No note found');
  }
  if (
    found.total === found.notes &&
    found.hits.every((hit, index) => hit.file !== found.hits[index - 1]?.file)
  ) {
    const listing = !found.query.trim();
    return listing ? notes : trans._n('%1 section in %2', '%1 sections in %2', found.total, notes);
  }
  return trans
    ._n('%1 section in %2', '%1 sections in %2', found.total, notes)
    .replace(String(found.total), amount(found.total));
}

/** Said to a screen reader once it has stayed the same for a moment. */
function Spoken({ text }: { text: string }): JSX.Element {
  const [said, say] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => say(text), SPOKEN_AFTER);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <span className="jp-kb-spoken" role="status">
      {said}
    </span>
  );
}

function ResultTree(): JSX.Element {
  const shared = useSearch();
  const { kb, model, narrow, wide, toField } = shared;
  const { trans } = kb;
  const groups = model.found?.groups ?? NONE;
  const { folded, whole } = model.folding;
  const rows = useMemo(
    () =>
      rowsOf(groups, { folded, whole }, ({ group, hit, more }) => {
        if (hit) {
          const how = isByMeaning(hit) ? trans.__('found by meaning') : '';
          return [group.title, breadcrumb(placeOf(hit)), hit.snippet, how].filter(Boolean).join(', ');
        }
        return more !== undefined
          ? trans.__('Show %1 more of %2', more, group.title)
          : [group.title, group.folder, trans._n('%1 section', '%1 sections', group.hits.length)]
              .filter(Boolean)
              .join(', ');
      }),
    [groups, folded, whole, trans]
  );
  const act = (row: ResultRow, how: Activation): void => {
    if (row.kind === 'more') {
      model.showAll(row.group, row.group.hits[row.group.hits.length - row.more]);
    } else if (row.kind === 'note' && how === 'open' && !row.expanded) {
      model.folding.fold(row.group.file, false);
    } else {
      const hit = row.kind === 'hit' ? row.hit : row.group.hits[0];
      if (hit) {
        void activate(shared, hit, how);
      }
    }
  };
  return (
    <Tree
      label={trans.__('Search results')}
      className="jp-kb-search-tree"
      rows={rows}
      busy={model.pending}
      selected={model.selected}
      onSelect={id => model.select(id)}
      onActivate={act}
      onToggle={(row, expanded) => model.folding.fold(row.group.file, !expanded)}
      onOpenSiblings={() => model.foldAll(false)}
      onMenu={(row, x, y) => {
        const hit = row.kind === 'hit' ? row.hit : row.group.hits[0];
        if (hit) {
          void hitMenu(shared, hit, x, y);
        }
      }}
      onType={key => {
        toField();
        model.type(model.query + key);
      }}
      onLeave={toField}
      onEscape={toField}
      estimate={row => (row.kind === 'hit' ? (wide ? 72 : 56) : 28)}
      render={row =>
        row.kind === 'note' ? (
          <NoteRow group={row.group} open={row.expanded ?? false} narrow={narrow} />
        ) : row.kind === 'hit' ? (
          <HitRow hit={row.hit} narrow={narrow} last={row.last} opened={idOf(row.hit) === model.opened} />
        ) : (
          <div className="jp-kb-search-more">{trans.__('Show %1 more', row.more)}</div>
        )
      }
    />
  );
}

function NoteRow({ group, open, narrow }: { group: Group; open: boolean; narrow: boolean }): JSX.Element {
  return (
    <div className="jp-kb-search-note" title={group.file}>
      <Caret open={open} />
      <span className="jp-kb-cut jp-kb-search-title" lang={languageOf(group.title)}>
        {group.title}
      </span>
      {!narrow && group.folder && <span className="jp-kb-cut jp-kb-search-folder">{group.folder}</span>}
      <span className="jp-kb-fill" />
      <Count>{group.hits.length}</Count>
    </div>
  );
}

function HitRow(props: { hit: Hit; narrow: boolean; last: boolean; opened: boolean }): JSX.Element {
  const { kb } = useSearch();
  const { trans } = kb;
  const { hit, narrow, last, opened } = props;
  const { text, marks } = leadIn(hit.snippet, hit.marks, narrow ? 12 : 24);
  const place = breadcrumb(placeOf(hit)) || trans.__('Beginning of the note');
  return (
    <div className={`jp-kb-search-hit ${last ? 'jp-kb-mod-last' : ''}`}>
      {opened && <openedIcon.react tag="span" className="jp-kb-icon jp-kb-search-opened" />}
      <div className="jp-kb-search-place">
        <span className="jp-kb-cut jp-kb-fill" title={place} lang={languageOf(place)}>
          {place}
        </span>
        {isByMeaning(hit) && (
          <span className="jp-kb-search-why" title={trans.__('Found by meaning: the words differ')}>
            <meaningIcon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />
            {!narrow && trans.__('meaning')}
          </span>
        )}
      </div>
      {text && (
        <div className="jp-kb-search-snippet">
          <Marked text={text} marks={marks} />
        </div>
      )}
    </div>
  );
}

/** Nothing was found: why, and what to do. */
function None(): JSX.Element | null {
  const shared = useSearch();
  const { kb, model, commands, toField } = shared;
  const { trans } = kb;
  const { found } = model;
  if (!found) {
    return null;
  }
  const { filters } = found;
  const query = found.query.trim();
  const byText = found.mode === 'text';
  const clauses = filters.map(filter => filterClause(filter, trans));
  const folder = filters.find(filter => filter.kind === 'folder' && !filter.not);
  const said = byText
    ? [trans.__('No note has any of these words'), ...clauses].join(', ') + '.'
    : trans.__('Try fewer or other words.');
  return (
    <div className="jp-kb-search-none">
      <Message
        icon={searchIcon}
        title={
          !query
            ? trans.__('No note passes the filters')
            : byText
              ? trans.__('Nothing matches')
              : trans.__('Nothing close enough')
        }
      >
        {query && <p>{said}</p>}
        <div className="jp-kb-search-actions">
          {filters.length > 0 && (
            <button
              type="button"
              className="jp-kb-search-line"
              onClick={() => (model.setFilters([]), toField())}
            >
              <closeIcon.react tag="span" className="jp-kb-icon" />
              <span className="jp-kb-fill">
                {filters.length === 1
                  ? trans.__('Remove the filter')
                  : filters.length === 2
                    ? trans.__('Remove both filters')
                    : trans.__('Remove all %1 filters', filters.length)}
              </span>
              {model.unfiltered !== null && (
                <Count>
                  {trans
                    ._n('%1 result', '%1 results', model.unfiltered)
                    .replace(String(model.unfiltered), amount(model.unfiltered))}
                </Count>
              )}
            </button>
          )}
          {byText && query && kb.status?.model && (
            <button
              type="button"
              className="jp-kb-search-line"
              onClick={() => (model.setMode('semantic'), toField())}
            >
              <meaningIcon.react tag="span" className="jp-kb-icon" />
              <span className="jp-kb-fill">{trans.__('Search by meaning')}</span>
            </button>
          )}
          {query && commands.hasCommand(Commands.createNote) && (
            <button
              type="button"
              className="jp-kb-search-line"
              onClick={() =>
                void commands.execute(Commands.createNote, {
                  name: query,
                  ...(folder?.kind === 'folder' ? { folder: folder.folder } : {})
                })
              }
            >
              <noteIcon.react tag="span" className="jp-kb-icon" />
              <span className="jp-kb-cut jp-kb-fill">{trans.__('Create note “%1”', query)}</span>
            </button>
          )}
        </div>
      </Message>
    </div>
  );
}
