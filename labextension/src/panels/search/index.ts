// The search panel, put together: the chunk that is fetched when it is first shown.
import type { IStateDB } from '@jupyterlab/statedb';

import { RecentSearches } from '../../model/recent';
import { SearchModel } from '../../model/search';
import { SearchPanel, type SearchPanelOptions } from './widget';

export function makeSearchPanel(
  options: Omit<SearchPanelOptions, 'model'> & { database: IStateDB | null }
): SearchPanel {
  const { database, ...rest } = options;
  return new SearchPanel({ ...rest, model: new SearchModel(rest.kb, new RecentSearches(database)) });
}
