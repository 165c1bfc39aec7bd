// Which rows of a long list are drawn: those in sight and some around them; heights are measured as rows come into sight.
import { type RefObject, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react';

/** Lists of more rows than this are drawn in part. */
export const WINDOWED_ABOVE = 200;
/** CSS pixels that are drawn above and below what is in sight. */
const MARGIN = 600;

export interface VisibleRows {
  /** Whether a row is to be drawn. */
  holds(index: number): boolean;
  /** Where a row begins, in CSS pixels from the top of the list. */
  topOf(index: number): number;
  /** Of all rows together. */
  height: number;
}

/** `container` holds the drawn rows, each with its place in `data-index`, and lies in something that scrolls. */
export function useVisibleRows<R extends { id: string }>(
  container: RefObject<HTMLElement | null>,
  rows: readonly R[],
  estimate: (row: R) => number,
  enabled: boolean
): VisibleRows {
  const heights = useRef(new Map<string, number>());
  const [measured, measure] = useReducer((count: number) => count + 1, 0);
  const [[from, to], setSpan] = useState<readonly [number, number]>([0, 2 * MARGIN]);

  const tops = useMemo(() => {
    const tops = [0];
    if (enabled) {
      for (const row of rows) {
        tops.push((tops[tops.length - 1] ?? 0) + (heights.current.get(row.id) ?? estimate(row)));
      }
    }
    return tops;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `measured` says that `heights` is another
  }, [rows, enabled, measured]);

  useEffect(() => {
    const node = container.current;
    const scroller = node && scrollerOf(node);
    if (!enabled || !node || !scroller) {
      return;
    }
    const look = (): void => {
      const top = scroller.getBoundingClientRect().top - node.getBoundingClientRect().top;
      setSpan([top - MARGIN, top + scroller.clientHeight + MARGIN]);
    };
    const sizes = new ResizeObserver(() => {
      heights.current.clear(); // text breaks elsewhere
      measure();
      look();
    });
    sizes.observe(scroller);
    scroller.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      scroller.removeEventListener('scroll', look);
    };
  }, [container, enabled]);

  useLayoutEffect(() => {
    if (!enabled) {
      return;
    }
    let another = false;
    for (const node of container.current?.querySelectorAll<HTMLElement>('[data-index]') ?? []) {
      const row = rows[Number(node.dataset['index'])];
      const height = node.offsetHeight;
      if (row && height && heights.current.get(row.id) !== height) {
        heights.current.set(row.id, height);
        another = true;
      }
    }
    if (another) {
      measure();
    }
  });

  return {
    holds: index => !enabled || ((tops[index + 1] ?? 0) >= from && (tops[index] ?? 0) <= to),
    topOf: index => tops[index] ?? 0,
    height: tops[tops.length - 1] ?? 0
  };
}

function scrollerOf(node: HTMLElement): HTMLElement | null {
  for (let parent = node.parentElement; parent; parent = parent.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) {
      return parent;
    }
  }
  return null;
}
