// Signals and elements as React sees them.
import type { ISignal } from '@lumino/signaling';
import { type RefObject, useEffect, useReducer, useState } from 'react';

/** Draw again whenever one of the signals is told. */
export function useSignals(...signals: readonly ISignal<unknown, unknown>[]): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const slot = (): void => again();
    signals.forEach(signal => signal.connect(slot));
    return () => signals.forEach(signal => signal.disconnect(slot));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the signals of a model never change
  }, signals);
}

/** The width of an element in CSS pixels, 0 before it is shown. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const node = element.current;
    if (!node || typeof ResizeObserver === 'undefined') {
      return;
    }
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(node);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
