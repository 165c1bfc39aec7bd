// The panel while nothing is searched for: last searches, folders, and how to narrow a search.
import { folderIcon, historyIcon } from '@jupyterlab/ui-components';
import { type KeyboardEvent, useRef, useState } from 'react';

import { Count, LinkButton } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { amount, languageOf } from '../../ui/text';
import { useSearch } from './context';

const FIRST_FOLDERS = 4;

export function Idle(): JSX.Element {
  const { kb, model, toField, back } = useSearch();
  const { trans } = kb;
  const [all, setAll] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  useSignals(model.recent.changed);
  const folders = model.facets?.folders ?? [];
  const shown = all ? folders : folders.slice(0, FIRST_FOLDERS);
  const hidden = folders.length - shown.length;

  const keyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const buttons = Array.from(list.current?.querySelectorAll<HTMLElement>('.jp-kb-search-line') ?? []);
    const at = buttons.indexOf(event.target as HTMLElement);
    if (event.key === 'Escape') {
      back();
    } else if (event.key === 'ArrowUp' && at <= 0) {
      toField();
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      buttons[at + (event.key === 'ArrowUp' ? -1 : 1)]?.focus();
    } else if (event.key === 'Home' || event.key === 'End') {
      buttons[event.key === 'Home' ? 0 : buttons.length - 1]?.focus();
    } else if (
      event.key.length === 1 &&
      event.key !== ' ' &&
      !event.ctrlKey &&
      !event.metaKey &&
      !event.altKey
    ) {
      toField();
      return; // the letter goes into the field
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="jp-kb-panel-body jp-kb-search-idle" ref={list} onKeyDown={keyDown}>
      {model.recent.list.length > 0 && (
        <section>
          <div className="jp-kb-search-heading">
            <h3 className="jp-kb-fill">{trans.__('Recent searches')}</h3>
            <LinkButton onClick={() => (model.recent.clear(), toField())}>{trans.__('Clear')}</LinkButton>
          </div>
          {model.recent.list.map(query => (
            <button
              key={query}
              type="button"
              className="jp-kb-search-line"
              title={query}
              onClick={() => {
                model.ask(query);
                toField();
              }}
            >
              <historyIcon.react tag="span" className="jp-kb-icon" />
              <span className="jp-kb-cut jp-kb-fill" lang={languageOf(query)}>
                {query}
              </span>
            </button>
          ))}
        </section>
      )}
      {folders.length > 0 && (
        <section>
          <div className="jp-kb-search-heading">
            <h3>{trans.__('Search in a folder')}</h3>
          </div>
          {shown.map(({ path, count }) => (
            <button
              key={path}
              type="button"
              className="jp-kb-search-line"
              title={path}
              onClick={() => {
                model.addFilter({ kind: 'folder', folder: path });
                toField();
              }}
            >
              <folderIcon.react tag="span" className="jp-kb-icon" />
              <span className="jp-kb-cut jp-kb-fill">{path}</span>
              <Count>{amount(count)}</Count>
            </button>
          ))}
          {hidden > 0 && (
            <button type="button" className="jp-kb-search-line jp-kb-mod-link" onClick={() => setAll(true)}>
              {trans._n('Show %1 more folder', 'Show %1 more folders', hidden)}
            </button>
          )}
        </section>
      )}
      <section>
        <div className="jp-kb-search-heading">
          <h3>{trans.__('Narrow a search')}</h3>
        </div>
        <dl className="jp-kb-search-operators">
          <Operator sign={`"${trans.__('exact words')}"`}>{trans.__('words in this order')}</Operator>
          <Operator sign={`in:${folders[0] ? word(folders[0].path) : 'papers'}`}>
            {trans.__('only this folder')}
          </Operator>
          <Operator sign={`tag:${model.facets?.tags[0]?.name ?? 'todo'}`}>
            {trans.__('only this tag')}
          </Operator>
          <Operator sign="-draft">{trans.__('leave this word out')}</Operator>
        </dl>
      </section>
    </div>
  );
}

function Operator({ sign, children }: { sign: string; children: string }): JSX.Element {
  return (
    <div>
      <dt>
        <code title={sign}>{sign}</code>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A value as an operator takes it. */
function word(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
