// One section of the note panel: a title that opens and closes it, and a lower edge that makes it higher.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef } from 'react';

import { useSignals } from '../../ui/hooks';
import { Caret, Count } from '../../ui/controls';
import { amount } from '../../ui/text';
import type { Host } from './host';
import type { SectionId } from './layout';

/** CSS pixels that an arrow key adds. */
const STEP = 24;

export interface SectionProps {
  host: Host;
  id: SectionId;
  title: string;
  /** Null where it is not known (yet). */
  count: number | null;
  /** Buttons at the right of the title, while the section is open. */
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ host, id, title, count, actions, children }: SectionProps): JSX.Element {
  const { layout } = host;
  useSignals(layout.changed);
  const body = useRef<HTMLDivElement>(null);
  const bodyId = useId();
  const empty = count === 0;
  const open = layout.isOpen(id, empty);
  const height = layout.height(id);
  return (
    <section className={`jp-kb-accordion jp-kb-mod-${id}`} aria-label={title}>
      <div className="jp-kb-accordion-title">
        <h3>
          <button
            type="button"
            aria-expanded={open}
            aria-controls={open ? bodyId : undefined}
            onClick={() => layout.toggle(id, empty)}
          >
            <Caret open={open} />
            <span className="jp-kb-cut">{title}</span>
            {count !== null && <Count>{amount(count)}</Count>}
          </button>
        </h3>
        {open && actions}
      </div>
      {open && (
        <>
          <div
            className="jp-kb-accordion-body"
            id={bodyId}
            ref={body}
            style={height === null ? undefined : { height, maxHeight: 'none' }}
          >
            {children}
          </div>
          <Edge
            label={host.kb.trans.__('Height of “%1”', title)}
            height={() => body.current?.getBoundingClientRect().height ?? 0}
            set={height}
            onResize={next => layout.resize(id, next)}
          />
        </>
      )}
    </section>
  );
}

function Edge(props: {
  label: string;
  height: () => number;
  set: number | null;
  onResize: (height: number | null) => void;
}): JSX.Element {
  const drag = useRef<{ y: number; height: number } | null>(null);
  const key = (event: KeyboardEvent): void => {
    const by = { ArrowDown: STEP, ArrowUp: -STEP }[event.key];
    if (by) {
      props.onResize(props.height() + by);
    } else if (event.key === 'Home' || event.key === 'Delete') {
      props.onResize(null);
    } else {
      return;
    }
    event.preventDefault();
  };
  const down = (event: PointerEvent<HTMLDivElement>): void => {
    drag.current = { y: event.clientY, height: props.height() };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (drag.current) {
      props.onResize(drag.current.height + event.clientY - drag.current.y);
    }
  };
  return (
    <div
      className="jp-kb-accordion-edge"
      role="separator"
      aria-orientation="horizontal"
      aria-label={props.label}
      aria-valuenow={props.set ?? 0}
      aria-valuemin={0}
      aria-valuemax={2000}
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={() => (drag.current = null)}
      onDoubleClick={() => props.onResize(null)}
    />
  );
}
