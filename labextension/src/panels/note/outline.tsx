// The outline: a tree of headings that shows where the reader is, goes anywhere, and moves sections.
import { collapseAllIcon, expandAllIcon, filterListIcon } from '@jupyterlab/ui-components';
import { type DragEvent, useEffect, useRef, useState } from 'react';

import { Commands } from '../../commands';
import { contains, foldable, headingCount, outlineRows, type OutlineRow } from '../../model/outline';
import { Caret, Count, IconButton } from '../../ui/controls';
import { openMenu } from '../../ui/menu';
import { amount, languageOf } from '../../ui/text';
import { type Activation, Tree } from '../../ui/tree';
import { Section } from './accordion';
import type { Host } from './host';
import { sectionMenu } from './menus';

type Drop = { id: string; place: 'before' | 'after' };

export interface OutlineState {
  folded: ReadonlySet<string>;
  /** Null while the field is not shown. */
  filter: string | null;
}

export interface OutlineProps {
  host: Host;
  state: OutlineState;
  onState: (state: OutlineState) => void;
}

export function OutlineSection({ host, state, onState }: OutlineProps): JSX.Element {
  const { trans } = host.kb;
  const outline = host.model.outline;
  const filtering = state.filter !== null;
  const folds = outline ? foldable(outline.sections) : [];
  const anyOpen = folds.some(id => !state.folded.has(id));
  const actions = (
    <span className="jp-kb-tools">
      <IconButton
        icon={filterListIcon}
        label={trans.__('Filter headings')}
        pressed={filtering}
        onClick={() => onState({ ...state, filter: filtering ? null : '' })}
      />
      <IconButton
        icon={anyOpen ? collapseAllIcon : expandAllIcon}
        label={anyOpen ? trans.__('Collapse all') : trans.__('Expand all')}
        disabled={folds.length === 0}
        onClick={() => onState({ ...state, folded: new Set(anyOpen ? folds : []) })}
      />
    </span>
  );
  return (
    <Section
      host={host}
      id="outline"
      title={trans.__('Outline')}
      count={outline && headingCount(outline.sections)}
      actions={actions}
    >
      <OutlineTree host={host} state={state} onState={onState} />
    </Section>
  );
}

function OutlineTree({ host, state, onState }: OutlineProps): JSX.Element | null {
  const { kb, model } = host;
  const { trans } = kb;
  const { outline, file } = model;
  const current = model.section?.heading_path ?? null;
  const [chosen, choose] = useState<string | null>(null);
  const [drop, setDrop] = useState<Drop | null>(null);
  const dragged = useRef<OutlineRow | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const pointer = useRef(false);

  useEffect(() => choose(null), [current, file]);
  useEffect(() => {
    if (!pointer.current && root.current) {
      bringIntoSight(root.current);
    }
  }, [current]);

  if (!outline || file === null) {
    return null;
  }
  const rows = outlineRows(outline, state.folded, state.filter ?? '', current);
  if (!rows.length) {
    return (
      <p className="jp-kb-note-empty">
        {state.filter
          ? trans.__('No heading has “%1” in it.', state.filter)
          : trans.__('This note has no headings yet.')}
      </p>
    );
  }
  const selected = chosen ?? rows.find(row => row.current)?.id ?? null;
  const fold = (ids: readonly string[], open: boolean): void => {
    const folded = new Set(state.folded);
    ids.forEach(id => (open ? folded.delete(id) : folded.add(id)));
    onState({ ...state, folded });
  };
  const place = (row: OutlineRow): { file: string; headingPath: string; hash: string } => ({
    file,
    headingPath: row.id,
    hash: row.node.content_hash
  });
  const move = async (
    row: OutlineRow,
    to: { by: number } | { target: string; place: string }
  ): Promise<void> => {
    const moved = await host.run(Commands.move, { ...place(row), ...to });
    await model.reload();
    choose((moved as { headingPath: string } | null)?.headingPath ?? row.id);
    focusRow(root.current);
  };
  const activate = (row: OutlineRow, how: Activation): void =>
    host.go({ file, headingPath: row.id, line: row.node.line_range.start }, how);

  const over = (row: OutlineRow, event: DragEvent<HTMLElement>): void => {
    if (dragged.current && !contains(dragged.current.node, row.id)) {
      event.preventDefault();
      const box = event.currentTarget.getBoundingClientRect();
      const next: Drop = { id: row.id, place: event.clientY < box.top + box.height / 2 ? 'before' : 'after' };
      if (drop?.id !== next.id || drop.place !== next.place) {
        setDrop(next);
      }
    }
  };
  const dropped = (event: DragEvent<HTMLElement>): void => {
    event.preventDefault();
    if (dragged.current && drop) {
      void move(dragged.current, { target: drop.id, place: drop.place });
    }
    dragged.current = null;
    setDrop(null);
  };

  const render = (row: OutlineRow): JSX.Element => (
    <div
      className={`jp-kb-outline-row ${drop?.id === row.id ? `jp-kb-mod-drop-${drop.place}` : ''}`}
      style={{ paddingLeft: 4 + 16 * (row.level - 1) }}
      title={row.name}
      draggable
      onDragStart={event => {
        dragged.current = row;
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', row.name);
      }}
      onDragOver={event => over(row, event)}
      onDrop={dropped}
      onDragEnd={() => {
        dragged.current = null;
        setDrop(null);
      }}
    >
      {row.expanded === undefined ? <span className="jp-kb-icon" /> : <Caret open={row.expanded} />}
      <span className="jp-kb-cut jp-kb-fill" lang={languageOf(row.name)}>
        {row.name}
      </span>
      {row.current && model.words !== null && row.id === current && (
        <Count>{trans._n('%2 word', '%2 words', model.words, amount(model.words))}</Count>
      )}
    </div>
  );

  return (
    <div
      ref={root}
      onPointerEnter={() => (pointer.current = true)}
      onPointerLeave={() => (pointer.current = false)}
    >
      {state.filter !== null && (
        <FilterField
          label={trans.__('Filter headings')}
          value={state.filter}
          onChange={filter => onState({ ...state, filter })}
          onDown={() => focusRow(root.current)}
        />
      )}
      <Tree
        label={trans.__('Outline')}
        rows={rows}
        render={render}
        selected={selected}
        onSelect={choose}
        onActivate={activate}
        onToggle={(row, open) => fold([row.id], open)}
        onOpenSiblings={row =>
          fold(
            rows.filter(other => other.level === row.level).map(other => other.id),
            true
          )
        }
        onMove={(row, by) => void move(row, { by })}
        onType={key => onState({ ...state, filter: (state.filter ?? '') + key })}
        onMenu={(row, x, y) => void openMenu(sectionMenu(host, place(row), move.bind(null, row)), { x, y })}
      />
    </div>
  );
}

function FilterField(props: {
  label: string;
  value: string;
  onChange: (value: string | null) => void;
  onDown: () => void;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <div className="jp-kb-outline-filter">
      <div className="jp-kb-field">
        <input
          ref={input}
          type="search"
          aria-label={props.label}
          placeholder={props.label}
          value={props.value}
          onChange={event => props.onChange(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Escape') {
              event.stopPropagation();
              props.onDown();
              props.onChange(null);
            } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
              event.preventDefault();
              props.onDown();
            }
          }}
        />
      </div>
    </div>
  );
}

function focusRow(root: HTMLElement | null): void {
  root?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus();
}

/** Scroll the section, and only it, so that the current row can be seen. */
function bringIntoSight(root: HTMLElement): void {
  const row = root.querySelector<HTMLElement>('[aria-current=true]');
  const body = root.closest<HTMLElement>('.jp-kb-accordion-body');
  if (!row || !body) {
    return;
  }
  const at = row.getBoundingClientRect();
  const sight = body.getBoundingClientRect();
  if (at.top < sight.top) {
    body.scrollTop -= sight.top - at.top + at.height;
  } else if (at.bottom > sight.bottom) {
    body.scrollTop += at.bottom - sight.bottom + at.height;
  }
}
