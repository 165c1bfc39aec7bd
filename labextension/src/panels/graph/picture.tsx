// The drawn graph as a part of the page: its keys, its zoom buttons, and what is said where nothing can be drawn.
import { type KeyboardEvent, type MutableRefObject, useEffect, useRef, useState } from 'react';

import { IconButton } from '../../ui/controls';
import type { GraphCanvas } from './canvas';
import { type GraphContext, openNodeMenu, openNote } from './context';
import { closerIcon, fartherIcon, fitIcon } from './icons';

export interface PictureProps {
  context: GraphContext;
  /** Filled once something is drawn. */
  canvas: MutableRefObject<GraphCanvas | null>;
  /** The browser has no WebGL. */
  onCannotDraw: () => void;
}

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0]
};

export function Picture({ context, canvas, onCannotDraw }: PictureProps): JSX.Element {
  const { kb, model } = context;
  const { trans } = kb;
  const host = useRef<HTMLDivElement>(null);
  const [spoken, setSpoken] = useState('');

  useEffect(() => {
    let ended = false;
    const node = host.current;
    const slot = canvas;
    void import('./canvas').then(({ canDraw, GraphCanvas: Made }) => {
      if (ended || !node) {
        return;
      }
      if (!canDraw()) {
        onCannotDraw();
        return;
      }
      slot.current = new Made(node, model, {
        centre: file => void model.go(file),
        menu: (file, x, y) => openNodeMenu(context, file, x, y)
      });
    });
    return () => {
      ended = true;
      slot.current?.dispose();
      slot.current = null;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- made once for a model
  }, [model]);

  const say = (): void => {
    const node = model.shown;
    setSpoken(
      node
        ? trans.__('%1, %2', node.title, trans._n('%1 link', '%1 links', model.neighbours(node.file).size))
        : ''
    );
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== event.currentTarget) {
      return;
    }
    const at = model.selected ?? model.centre.file;
    const arrow = ARROWS[event.key];
    if (arrow) {
      model.step(...arrow);
      if (model.selected !== null) {
        canvas.current?.reveal(model.selected);
      }
      say();
    } else if (event.key === 'Enter' && at !== null) {
      void model.go(at);
    } else if ((event.key === 'o' || event.key === 'O') && at !== null) {
      openNote(context, at);
    } else if (event.key === 'Backspace') {
      model.back();
    } else if (event.key === '+' || event.key === '=') {
      canvas.current?.zoom(true);
    } else if (event.key === '-') {
      canvas.current?.zoom(false);
    } else if (event.key === '0') {
      canvas.current?.fit();
    } else if (event.key === 'Escape' && model.selected !== null) {
      model.select(null);
    } else if ((event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) && at !== null) {
      const place = canvas.current?.placeOf(at);
      if (place) {
        openNodeMenu(context, at, place.x, place.y);
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const { notes } = model.counts;
  const label =
    model.centre.file === null
      ? trans._n('Graph of %1 note', 'Graph of %1 notes', notes)
      : trans._n('Graph of %1 note around %2', 'Graph of %1 notes around %2', notes, model.title);
  return (
    <div className="jp-kb-graph-picture">
      <div
        className="jp-kb-graph-canvas"
        ref={host}
        role="application"
        tabIndex={0}
        aria-label={trans.__('%1, arrow keys move between neighbours', label)}
        onKeyDown={keyDown}
        onContextMenu={event => event.preventDefault()}
      />
      <span className="jp-kb-spoken" role="status">
        {spoken}
      </span>
      <div className="jp-kb-graph-zoom">
        <IconButton
          icon={closerIcon}
          label={trans.__('Zoom in')}
          onClick={() => canvas.current?.zoom(true)}
        />
        <IconButton
          icon={fartherIcon}
          label={trans.__('Zoom out')}
          onClick={() => canvas.current?.zoom(false)}
        />
        <IconButton icon={fitIcon} label={trans.__('Fit to view')} onClick={() => canvas.current?.fit()} />
      </div>
    </div>
  );
}
