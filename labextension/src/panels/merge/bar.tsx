// Above a difference: which one it is, what was decided, and the switch that decides.
import type { TranslationBundle } from '@jupyterlab/translation';
import type { KeyboardEvent } from 'react';

import type { Choice, Merge } from '../../model/merge';
import { Segmented } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';

export interface BarProps {
  merge: Merge;
  /** Of the conflict among the merge's pieces. */
  index: number;
  trans: TranslationBundle;
}

const KEYS: Record<string, Exclude<Choice, 'typed'>> = { m: 'mine', t: 'theirs', b: 'both' };

export function ConflictBar({ merge, index, trans }: BarProps): JSX.Element | null {
  useSignals(merge.changed);
  const conflicts = merge.conflicts;
  const number = conflicts.indexOf(index) + 1;
  const choice = merge.pieces[index]?.choice ?? null;
  if (!number) {
    return null;
  }
  const words: Record<Choice, string> = {
    mine: trans.__('decided: mine'),
    theirs: trans.__('decided: theirs'),
    both: trans.__('decided: mine, then theirs'),
    typed: trans.__('decided: typed here')
  };
  const title = trans.__('Difference %1 of %2', number, conflicts.length);
  const said = choice ? words[choice] : trans.__('not decided yet');
  const press = (event: KeyboardEvent): void => {
    const key = KEYS[event.key.toLowerCase()];
    if (key && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      merge.choose(index, key);
    }
  };
  return (
    <div
      className="jp-kb-conflict"
      data-kb-conflict={index}
      role="group"
      aria-label={`${title}, ${said}`}
      aria-keyshortcuts="M T B"
      tabIndex={0}
      onKeyDown={press}
    >
      <strong>{title}</strong>
      <span className="jp-kb-dim jp-kb-fill jp-kb-cut">{said}</span>
      <Segmented
        label={trans.__('Difference %1', number)}
        choices={[
          { value: 'mine', label: trans.__('Mine'), title: trans.__('Mine (M)') },
          { value: 'theirs', label: trans.__('Theirs'), title: trans.__('Theirs (T)') },
          { value: 'both', label: trans.__('Both'), title: trans.__('Mine, then theirs (B)') }
        ]}
        value={choice === 'typed' ? null : choice}
        onChange={(value: Exclude<Choice, 'typed'>) => merge.choose(index, value)}
      />
    </div>
  );
}
