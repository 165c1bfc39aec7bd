// Asks before a section is deleted, naming what goes with it and which links will lead nowhere.
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ResolvedLink } from '../api/types';
import { ask } from './dialog';

export interface Removal {
  heading: string;
  lines: number;
  subsections: number;
  links: readonly ResolvedLink[];
}

export function askRemoval(removal: Removal, trans: TranslationBundle): Promise<boolean> {
  const { heading, lines, subsections, links } = removal;
  const notes = new Set(links.map(link => link.source.file)).size;
  return ask(
    {
      title: trans.__('Delete “%1”?', heading),
      action: trans.__('Delete section'),
      danger: true,
      body: (
        <div className="jp-kb-form">
          <p>
            {subsections > 0
              ? trans._n(
                  'Its subsection goes with it, %2 lines in all.',
                  'Its %1 subsections go with it, %2 lines in all.',
                  subsections,
                  lines
                )
              : trans._n('It has %1 line.', 'It has %1 lines.', lines)}
          </p>
          {links.length > 0 && <p className="jp-kb-small jp-kb-dim">{inWords(links.length, notes, trans)}</p>}
        </div>
      )
    },
    trans
  );
}

function inWords(links: number, notes: number, trans: TranslationBundle): string {
  const where = trans._n('%1 note', '%1 notes', notes);
  return trans._n(
    '%1 link in %2 points here and will be listed under Broken links.',
    '%1 links in %2 point here and will be listed under Broken links.',
    links,
    where
  );
}
