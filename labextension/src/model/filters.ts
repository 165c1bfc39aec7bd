// What a search is narrowed to: filters as chips show them, and as the server reads them. No DOM.
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Facets, Filters } from '../api/types';

export const PERIODS = ['day', 'week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/** One condition. `not`: what has it is left out. */
export type Filter =
  | { kind: 'folder'; folder: string; not?: boolean }
  | { kind: 'tag'; tag: string; not?: boolean }
  | { kind: 'property'; field: string; value: string }
  | { kind: 'date'; within: Period };

const DAYS: Record<Period, number> = { day: 1, week: 7, month: 31, year: 366 };
const DAY = 86_400_000;

/** Equal for filters that ask the same. */
export function keyOf(filter: Filter): string {
  switch (filter.kind) {
    case 'folder':
      return `folder ${filter.not ? '!' : ''}${filter.folder}`;
    case 'tag':
      return `tag ${filter.not ? '!' : ''}${filter.tag}`;
    case 'property':
      return `property ${filter.field} ${filter.value}`;
    case 'date':
      return 'date'; // one at a time
  }
}

/** The filters of a request; of several folders any, of several values of a property any, of all else all. */
export function asFilters(filters: readonly Filter[], now = Date.now()): Filters {
  const folders: string[] = [];
  const tags: string[] = [];
  const properties = new Map<string, string[]>(); // names of every kind, `constructor` among them
  let after: string | null = null;
  for (const filter of filters) {
    const sign = 'not' in filter && filter.not ? '!' : '';
    switch (filter.kind) {
      case 'folder':
        folders.push(`${sign}/${filter.folder}`); // from the root
        break;
      case 'tag':
        tags.push(sign + filter.tag);
        break;
      case 'property':
        properties.set(filter.field, [...(properties.get(filter.field) ?? []), filter.value]);
        break;
      case 'date':
        after = new Date(now - DAYS[filter.within] * DAY).toISOString();
    }
  }
  return { folders, tags, front_matter: Object.fromEntries(properties), modified_after: after };
}

/** What a chip says. */
export function filterText(filter: Filter, trans: TranslationBundle): string {
  switch (filter.kind) {
    case 'folder':
      return filter.not ? trans.__('not in %1', filter.folder) : filter.folder;
    case 'tag':
      return filter.not ? trans.__('not #%1', filter.tag) : `#${filter.tag}`;
    case 'property':
      return `${filter.field}: ${filter.value}`;
    case 'date':
      return {
        day: trans.__('past day'),
        week: trans.__('past week'),
        month: trans.__('past month'),
        year: trans.__('past year')
      }[filter.within];
  }
}

/** What a filter asks for, within a sentence: “No note has any of these words, in the folder “papers””. */
export function filterClause(filter: Filter, trans: TranslationBundle): string {
  switch (filter.kind) {
    case 'folder':
      return filter.not
        ? trans.__('outside the folder “%1”', filter.folder)
        : trans.__('in the folder “%1”', filter.folder);
    case 'tag':
      return filter.not
        ? trans.__('without the tag #%1', filter.tag)
        : trans.__('with the tag #%1', filter.tag);
    case 'property':
      return trans.__('with %1 “%2”', filter.field, filter.value);
    case 'date':
      return {
        day: trans.__('changed in the past day'),
        week: trans.__('changed in the past week'),
        month: trans.__('changed in the past month'),
        year: trans.__('changed in the past year')
      }[filter.within];
  }
}

/** Something to filter by, with the number of notes that have it where that is known. */
export interface Offer {
  filter: Filter;
  count: number | null;
}

/** What can be filtered by, most used first within its kind; what is filtered by already is left out. */
export function offers(facets: Facets, not: boolean, active: readonly Filter[]): Offer[] {
  const sign = not ? { not: true } : {};
  const all: Offer[] = [
    ...facets.folders.map(({ path, count }) => ({
      filter: { kind: 'folder' as const, folder: path, ...sign },
      count
    })),
    ...facets.tags.map(({ name, count }) => ({ filter: { kind: 'tag' as const, tag: name, ...sign }, count }))
  ];
  if (!not) {
    all.push(
      ...PERIODS.map(within => ({ filter: { kind: 'date' as const, within }, count: null })),
      ...facets.properties.flatMap(({ name, values }) =>
        values.map(({ value, count }) => ({
          filter: { kind: 'property' as const, field: name, value },
          count
        }))
      )
    );
  }
  const taken = new Set(active.map(keyOf));
  return all.filter(({ filter }) => filter.kind === 'date' || !taken.has(keyOf(filter)));
}
