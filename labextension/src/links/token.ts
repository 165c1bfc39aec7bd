// What all that deals with links shares: what targets mean, what they show, where they stand, how they are followed.
import { Token } from '@lumino/coreutils';

import type { LinkPreviews } from '../model/linkPreview';
import type { LinkResolver } from '../model/resolver';
import type { Following } from './following';
import type { Sources } from './sources';

export interface IVaultLinks {
  readonly resolver: LinkResolver;
  readonly previews: LinkPreviews;
  readonly sources: Sources;
  readonly following: Following;
}

export const IVaultLinks = new Token<IVaultLinks>(
  'jupyter-kb:IVaultLinks',
  'What links into the vault mean and how they are followed.'
);
