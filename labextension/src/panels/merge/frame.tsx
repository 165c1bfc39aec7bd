// Around the texts of a merge: what happened, whose text is which, what is left to decide.
import { moveDownIcon, moveUpIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Merge, Side } from '../../model/merge';
import type { SectionModel } from '../../model/section';
import { Button, IconButton, LinkButton } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { warningIcon } from '../../ui/icons';
import { clock } from '../../ui/text';
import { Bar } from '../editor/bars';
import type { Actions } from '../editor/actions';

export interface FrameProps {
  model: SectionModel;
  merge: Merge;
  actions: Actions;
  trans: TranslationBundle;
}

export function Banner({ model, trans }: FrameProps): JSX.Element {
  useSignals(model.changed);
  const whole = model.headingPath === null;
  const { problem } = model;
  return (
    <>
      <div className="jp-kb-merge-banner" role="alert">
        <warningIcon.react tag="span" className="jp-kb-icon jp-kb-mod-large" />
        <div>
          <strong>
            {whole
              ? trans.__('This note changed on disk after you opened it')
              : trans.__('This section changed on disk after you opened it')}
          </strong>
          <p>
            {trans.__(
              'You opened it at %1; it was saved outside this editor at %2. Nothing has been overwritten. Decide on each difference, then save the result.',
              clock(model.readAt),
              clock(model.changedAt)
            )}
          </p>
        </div>
      </div>
      {problem && (
        <Bar
          tone="error"
          urgent
          strong={trans.__('Not saved')}
          text={
            problem.kind === 'offline'
              ? trans.__('No answer from the server. Your text is kept here.')
              : `${problem.error.message}. ${trans.__('Your text is kept here.')}`
          }
        />
      )}
    </>
  );
}

export function SideHead({ side, model, merge, trans }: FrameProps & { side: Side }): JSX.Element {
  useSignals(model.changed);
  const mine = side === 'mine';
  return (
    <div className="jp-kb-merge-head">
      <i className={`jp-kb-dot jp-kb-mod-${side}`} />
      <strong>{mine ? trans.__('Mine') : trans.__('Theirs')}</strong>
      <span className="jp-kb-dim jp-kb-fill jp-kb-cut">
        {mine ? trans.__('your unsaved text') : trans.__('on disk, %1', clock(model.changedAt))}
      </span>
      {merge.conflicts.length > 0 && (
        <LinkButton onClick={() => merge.chooseAll(side)}>
          {mine ? trans.__('Use all mine') : trans.__('Use all theirs')}
        </LinkButton>
      )}
    </div>
  );
}

export function ResultHead({ merge, trans, go }: FrameProps & { go: (by: 1 | -1) => void }): JSX.Element {
  useSignals(merge.changed);
  return (
    <div className="jp-kb-merge-head">
      <strong>{trans.__('Result')}</strong>
      <span className="jp-kb-dim jp-kb-cut">{trans.__('what will be saved; you can type here')}</span>
      <span className="jp-kb-dim jp-kb-fill jp-kb-cut jp-kb-merge-taken">
        {merge.taken > 0 &&
          (merge.conflicts.length
            ? trans._n('%1 other change was merged', '%1 other changes were merged', merge.taken, merge.taken)
            : trans._n('%1 change was merged', '%1 changes were merged', merge.taken, merge.taken))}
      </span>
      {merge.conflicts.length > 0 && (
        <>
          <IconButton
            icon={moveUpIcon}
            label={trans.__('Previous difference (Shift+F8)')}
            onClick={() => go(-1)}
          />
          <IconButton icon={moveDownIcon} label={trans.__('Next difference (F8)')} onClick={() => go(1)} />
        </>
      )}
    </div>
  );
}

export function MergeFoot({ model, merge, actions, trans }: FrameProps): JSX.Element {
  useSignals(merge.changed, model.changed);
  const { left } = merge;
  return (
    <footer className="jp-kb-merge-foot">
      <span role="status" className="jp-kb-fill">
        {left
          ? trans._n('%1 difference left to decide', '%1 differences left to decide', left, left)
          : trans.__('All differences are decided')}
      </span>
      <button type="button" className="jp-kb-merge-discard" onClick={() => void actions.discard()}>
        {trans.__('Discard my changes…')}
      </button>
      {model.headingPath !== null && (
        <Button onClick={() => void actions.saveAsNew()}>{trans.__('Save mine as a new section')}</Button>
      )}
      <Button kind="primary" disabled={left > 0 || model.slow} onClick={() => void actions.save()}>
        {trans.__('Save result')}
      </Button>
    </footer>
  );
}
