// What the reader has to know before going on: one bar each, above the text.
import { infoIcon } from '@jupyterlab/ui-components';
import type { ReactNode } from 'react';

import { Button } from '../../ui/controls';
import { warningIcon } from '../../ui/icons';
import { clock } from '../../ui/text';
import type { HeadProps } from './head';

export function Bars(props: HeadProps): JSX.Element {
  const { model, actions, trans } = props;
  const { offered, unsafe } = model.drafts;
  return (
    <>
      {offered && (
        <Bar text={trans.__('You have unsaved text from %1.', when(offered.time))}>
          <Button onClick={() => model.restore()}>{trans.__('Restore')}</Button>
          <Button kind="quiet" onClick={() => model.dropOffered()}>
            {trans.__('Discard')}
          </Button>
        </Bar>
      )}
      {model.status === 'changed' && (
        <Bar
          tone="warning"
          text={trans.__('Changed on disk at %1. Saving will ask you to merge.', clock(model.changedAt))}
        >
          <Button onClick={() => model.compare()}>{trans.__('Compare now')}</Button>
        </Bar>
      )}
      {model.gone && (
        <Bar
          tone="warning"
          urgent
          text={
            model.headingPath === null
              ? trans.__('This note is no longer there.')
              : trans.__('This section is no longer in the note.')
          }
        >
          {model.headingPath !== null && (
            <Button onClick={() => void actions.saveAsNew()}>{trans.__('Save mine as a new section')}</Button>
          )}
          <Button onClick={() => actions.copyText()}>{trans.__('Copy my text')}</Button>
        </Bar>
      )}
      {model.problem && !model.gone && <Failure {...props} />}
      {unsafe && (
        <Bar
          tone="warning"
          text={trans.__(
            'This browser could not keep a copy of your text. Leave this tab open until it is saved.'
          )}
        />
      )}
    </>
  );
}

function Failure({ model, actions, trans }: HeadProps): JSX.Element | null {
  if (!model.problem) {
    return null;
  }
  const { kind, error } = model.problem;
  const again = <Button onClick={() => void actions.save()}>{trans.__('Try again')}</Button>;
  if (kind === 'offline') {
    return (
      <Bar
        tone="error"
        urgent
        text={trans.__('Not saved: no answer from the server. Your text is kept here.')}
      >
        {again}
      </Bar>
    );
  }
  if (kind === 'full') {
    return (
      <Bar
        tone="error"
        urgent
        strong={trans.__('The disk is full')}
        text={trans.__('Your text is kept here and was not saved.')}
      >
        {again}
      </Bar>
    );
  }
  const reason = error.hint ? `${error.message}: ${error.hint}` : error.message;
  return (
    <Bar
      tone="error"
      urgent
      strong={trans.__('Not saved')}
      text={`${trans.__('Your text is kept here.')} ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`}
    >
      {kind === 'other' && again}
    </Bar>
  );
}

export function Bar(props: {
  text: string;
  strong?: string;
  tone?: 'plain' | 'warning' | 'error';
  /** Spoken at once. */
  urgent?: boolean;
  children?: ReactNode;
}): JSX.Element {
  const { text, strong, tone = 'plain', urgent, children } = props;
  const Icon = tone === 'plain' ? infoIcon : warningIcon;
  return (
    <div className={`jp-kb-bar jp-kb-mod-${tone}`} role={urgent ? 'alert' : 'status'}>
      <Icon.react tag="span" className="jp-kb-icon" />
      <span className="jp-kb-fill">
        {strong && <strong>{strong}. </strong>}
        {text}
      </span>
      {children}
    </div>
  );
}

/** "10:39" today, else with its day. */
function when(moment: number): string {
  const day = new Date(moment).toLocaleDateString();
  return day === new Date().toLocaleDateString() ? clock(moment) : `${day}, ${clock(moment)}`;
}
