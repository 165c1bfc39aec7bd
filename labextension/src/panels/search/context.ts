// What the parts of the search panel share.
import type { CommandRegistry } from '@lumino/commands';
import { createContext, useContext } from 'react';

import { useSignals } from '../../ui/hooks';
import type { SearchModel } from '../../model/search';
import type { IKnowledgeBase, INavigator } from '../../tokens';

export interface SearchContext {
  kb: IKnowledgeBase;
  model: SearchModel;
  commands: CommandRegistry;
  navigator: INavigator;
  /** Moves of the focus. */
  toField: () => void;
  toList: () => void;
  /** Back to where the reader came from. */
  back: () => void;
  /** At most 260 px: least of everything; from 420 px on: three lines of text. */
  narrow: boolean;
  wide: boolean;
}

export const Shared = createContext<SearchContext | null>(null);

/** The panel around, drawn again whenever the search or the vault is another. */
export function useSearch(): SearchContext {
  const shared = useContext(Shared);
  if (!shared) {
    throw new Error('not within the search panel');
  }
  useSignals(shared.model.changed);
  return shared;
}
