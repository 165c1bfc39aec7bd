// A tree of rows with the keyboard of ui.md: one row takes the focus, arrows move it, letters go elsewhere.
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { useEffect, useRef } from 'react';

import { useVisibleRows, WINDOWED_ABOVE } from './visible_rows';

export interface TreeRow {
  id: string;
  /** From 1. */
  level: number;
  /** What a screen reader says. */
  name: string;
  /** Undefined where there is nothing to open. */
  expanded?: boolean;
  /** The row is where the reader is (`aria-current`). */
  current?: boolean;
}

export type Activation = 'open' | 'peek' | 'beside' | 'edit';

export interface TreeProps<R extends TreeRow> {
  label: string;
  /** The rows that can be seen, in order; those of folded parents are left out. */
  rows: readonly R[];
  render: (row: R) => ReactNode;
  /** The row that has, or gets, the focus. */
  selected: string | null;
  onSelect: (id: string) => void;
  /** Enter or click: open; Space: peek; Accel+Enter: beside; E: edit. */
  onActivate: (row: R, how: Activation) => void;
  onToggle?: (row: R, expanded: boolean) => void;
  /** `*`: open the row's siblings. */
  onOpenSiblings?: (row: R) => void;
  /** Shift+F10 or right click, at a place in the window. */
  onMenu?: (row: R, x: number, y: number) => void;
  /** Alt+Up and Alt+Down. */
  onMove?: (row: R, by: -1 | 1) => void;
  /** A letter was typed that means nothing here. */
  onType?: (key: string) => void;
  /** Up from the first row. */
  onLeave?: () => void;
  onEscape?: () => void;
  busy?: boolean;
  className?: string;
  /** The height of a row that was not drawn yet, in CSS pixels; for trees of more than `WINDOWED_ABOVE` rows. */
  estimate?: (row: R) => number;
}

const PAGE = 10;
const LINE = (): number => 24;

export function Tree<R extends TreeRow>(props: TreeProps<R>): JSX.Element {
  const { rows, selected } = props;
  const tree = useRef<HTMLDivElement>(null);
  const focusWanted = useRef(false);
  const at = Math.max(
    0,
    rows.findIndex(row => row.id === selected)
  );
  const windowed = rows.length > WINDOWED_ABOVE;
  const visible = useVisibleRows(tree, rows, props.estimate ?? LINE, windowed);
  // the row with the focus stays, wherever the reader has scrolled to
  const drawn = [...rows.entries()].filter(([index]) => visible.holds(index) || index === at);

  useEffect(() => {
    if (focusWanted.current) {
      focusWanted.current = false;
      tree.current?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus();
    }
  });

  const select = (index: number): void => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row) {
      focusWanted.current = true;
      props.onSelect(row.id);
    }
  };

  const keyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const row = rows[at];
    const target = event.target as HTMLElement;
    if (!row || target.getAttribute('role') !== 'treeitem') {
      return; // a button in a row has keys of its own
    }
    if (handleKey(props, rows, row, at, event, select)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  return (
    <div
      role="tree"
      aria-label={props.label}
      aria-busy={props.busy}
      className={`jp-kb-tree ${props.className ?? ''}`}
      ref={tree}
      onKeyDown={keyDown}
      style={windowed ? { height: visible.height, position: 'relative' } : undefined}
    >
      {drawn.map(([index, row]) => (
        <div
          key={row.id}
          role="treeitem"
          data-id={row.id}
          aria-label={row.name}
          aria-level={row.level}
          aria-expanded={row.expanded}
          aria-selected={row.id === selected}
          aria-current={row.current ? 'true' : undefined}
          className="jp-kb-row"
          data-index={index}
          style={windowed ? { insetInline: 0, position: 'absolute', top: visible.topOf(index) } : undefined}
          tabIndex={index === at ? 0 : -1}
          onFocus={event => {
            if (event.target === event.currentTarget && row.id !== selected) {
              props.onSelect(row.id);
            }
          }}
          onClick={event => click(props, row, event)}
          onContextMenu={event => {
            if (props.onMenu) {
              event.preventDefault();
              event.stopPropagation();
              props.onSelect(row.id);
              props.onMenu(row, event.clientX, event.clientY);
            }
          }}
        >
          {props.render(row)}
        </div>
      ))}
    </div>
  );
}

function click<R extends TreeRow>(props: TreeProps<R>, row: R, event: MouseEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  if (target.closest('button, a, input') && target.closest('[role=treeitem]') === event.currentTarget) {
    if (target.closest('button, a, input') !== event.currentTarget) {
      return; // the control in the row does its own thing
    }
  }
  props.onSelect(row.id);
  if (target.closest('.jp-kb-caret') && row.expanded !== undefined) {
    props.onToggle?.(row, !row.expanded);
    return;
  }
  props.onActivate(row, event.ctrlKey || event.metaKey ? 'beside' : 'open');
}

/** Whether the key meant something. */
function handleKey<R extends TreeRow>(
  props: TreeProps<R>,
  rows: readonly R[],
  row: R,
  at: number,
  event: KeyboardEvent<HTMLElement>,
  select: (index: number) => void
): boolean {
  const accel = event.ctrlKey || event.metaKey;
  if (event.altKey) {
    if (props.onMove && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      props.onMove(row, event.key === 'ArrowUp' ? -1 : 1);
      return true;
    }
    return false;
  }
  switch (event.key) {
    case 'ArrowDown':
      select(at + 1);
      return true;
    case 'ArrowUp':
      if (at === 0 && props.onLeave) {
        props.onLeave();
      } else {
        select(at - 1);
      }
      return true;
    case 'Home':
      select(0);
      return true;
    case 'End':
      select(rows.length - 1);
      return true;
    case 'PageDown':
      select(at + PAGE);
      return true;
    case 'PageUp':
      select(at - PAGE);
      return true;
    case 'ArrowRight':
      if (row.expanded === false) {
        props.onToggle?.(row, true);
      } else if (row.expanded && (rows[at + 1]?.level ?? 0) > row.level) {
        select(at + 1);
      }
      return true;
    case 'ArrowLeft':
      if (row.expanded) {
        props.onToggle?.(row, false);
      } else {
        const parent = rows.slice(0, at).findLastIndex(other => other.level < row.level);
        if (parent >= 0) {
          select(parent);
        }
      }
      return true;
    case '*':
      props.onOpenSiblings?.(row);
      return true;
    case 'Enter':
      props.onActivate(row, accel ? 'beside' : 'open');
      return true;
    case ' ':
      props.onActivate(row, 'peek');
      return true;
    case 'Escape':
      props.onEscape?.();
      return props.onEscape !== undefined;
    case 'F10':
      if (!event.shiftKey) {
        return false;
      }
      return openMenu(props, row, event);
    case 'ContextMenu':
      return openMenu(props, row, event);
  }
  if (event.key.length === 1 && !accel) {
    if (event.key === 'e' || event.key === 'E') {
      props.onActivate(row, 'edit');
      return true;
    }
    if (props.onType) {
      props.onType(event.key);
      return true;
    }
  }
  return false;
}

function openMenu<R extends TreeRow>(
  props: TreeProps<R>,
  row: R,
  event: KeyboardEvent<HTMLElement>
): boolean {
  if (!props.onMenu) {
    return false;
  }
  const box = (event.target as HTMLElement).getBoundingClientRect();
  props.onMenu(row, box.left + 24, box.bottom);
  return true;
}
