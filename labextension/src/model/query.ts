// What is asked of the server: ways to search, orders, and when there is enough to ask for. No DOM.
import type { SearchBody } from '../api/types';
import { asFilters, type Filter } from './filters';

export type Mode = 'hybrid' | 'text' | 'semantic';
export type Sort = 'rank' | 'modified' | 'title' | 'folder';
export const MODES: readonly Mode[] = ['hybrid', 'text', 'semantic'];
export const SORTS: readonly Sort[] = ['rank', 'modified', 'title', 'folder'];

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const ORDERS: Record<Sort, SearchBody> = {
  rank: {},
  modified: { order_by: 'modified', descending: true },
  title: { order_by: 'title' },
  folder: { order_by: 'path' }
};

/** Whether a text is enough to be searched for: one character of a script without spaces, or two others. */
export function isEnough(text: string): boolean {
  const trimmed = text.trim();
  return UNSPACED.test(trimmed) || Array.from(trimmed).length >= 2;
}

/** A request, but for its window. Without a query the notes that pass the filters are listed, newest first. */
export function bodyOf(query: string, mode: Mode, filters: readonly Filter[], sort: Sort): SearchBody {
  return {
    query,
    mode,
    filters: asFilters(filters),
    explain: true,
    only_near: true,
    wait: 0, // a scan that is going on is not waited for: the answer says how far it is
    ...ORDERS[sort === 'rank' && !query.trim() ? 'modified' : sort]
  };
}
