// In the place of the text where there is none: what is wrong, what it means, what to do.
import { errorIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import { isGone } from '../../model/problem';
import type { SectionModel } from '../../model/section';
import { Button, Message } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';

export function Failed({
  model,
  trans
}: {
  model: SectionModel;
  trans: TranslationBundle;
}): JSX.Element | null {
  useSignals(model.changed);
  const { failure } = model;
  if (!failure) {
    return null;
  }
  const gone = isGone(failure);
  const several = failure.code === 'ambiguous-section';
  const title =
    failure.code === 'unreachable'
      ? trans.__('No answer from the server')
      : gone && model.headingPath !== null
        ? trans.__('This section is no longer in the note')
        : gone
          ? trans.__('This note is no longer there')
          : several
            ? trans.__('Several sections of the note have this name')
            : trans.__('The section could not be read');
  return (
    <Message
      icon={errorIcon}
      tone="error"
      title={title}
      details={`${failure.code}: ${failure.message}`}
      detailsLabel={trans.__('Details')}
    >
      <p>
        {gone
          ? trans.__('It may have been renamed, moved or deleted.')
          : several
            ? trans.__(
                'Which one is meant cannot be told. Give one of them another heading, in the note itself.'
              )
            : trans.__('Your notes are not affected.')}
      </p>
      <Button onClick={() => void model.load()}>{trans.__('Try again')}</Button>
    </Message>
  );
}
