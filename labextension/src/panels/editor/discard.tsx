// "Discard your changes?"
import type { TranslationBundle } from '@jupyterlab/translation';

import { ask } from '../../dialogs/dialog';
import type { SectionModel } from '../../model/section';
import { amount, clock, countWords } from '../../ui/text';

/** Ask whether what was typed may be dropped. */
export function askDiscard(model: SectionModel, trans: TranslationBundle): Promise<boolean> {
  const stays = model.gone
    ? trans.__('The section is no longer on disk.')
    : model.theirs
      ? trans.__('The version saved on disk at %1 stays.', clock(model.changedAt))
      : trans.__('The version on disk stays.');
  const words = countWords(model.text);
  const dropped = trans._n(
    'Your unsaved text (%1 word) is dropped.',
    'Your unsaved text (%1 words) is dropped.',
    words,
    amount(words)
  );
  return ask(
    {
      title: trans.__('Discard your changes?'),
      body: (
        <p>
          {stays} {dropped}
        </p>
      ),
      action: trans.__('Discard'),
      cancel: trans.__('Keep editing'),
      danger: true
    },
    trans
  );
}
