// Below the text: where it is in the file, how long it is, when it was read.
import type { TranslationBundle } from '@jupyterlab/translation';

import type { SectionModel } from '../../model/section';
import { useSignals } from '../../ui/hooks';
import { amount, clock, countWords } from '../../ui/text';

export function Foot({
  model,
  taught,
  trans
}: {
  model: SectionModel;
  /** The reader knows that only the section is written. */
  taught: boolean;
  trans: TranslationBundle;
}): JSX.Element | null {
  useSignals(model.changed);
  if (!model.loaded || model.merge) {
    return null;
  }
  const { start, end, of } = model.lines;
  const words = countWords(model.text);
  return (
    <footer className="jp-kb-editor-foot">
      <span>{trans.__('Lines %1–%2 of %3', amount(start), amount(end), amount(of))}</span>
      <span>{trans._n('%1 word', '%1 words', words, amount(words))}</span>
      <span className="jp-kb-fill" />
      {!model.savedAt && <span>{trans.__('Read at %1', clock(model.readAt))}</span>}
      {!taught && !model.savedAt && model.headingPath !== null && (
        <span className="jp-kb-cut">
          {trans.__('Only this section is written; the rest of the note stays as it is.')}
        </span>
      )}
    </footer>
  );
}
