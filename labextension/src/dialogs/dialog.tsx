// JupyterLab's dialog in the one look of ours: 32 px buttons, focus on the field or on the safe button.
import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReactElement } from 'react';

export interface Question {
  title: string;
  body: ReactElement;
  /** What the button that does it says. */
  action: string;
  /** What the safe one says; "Cancel" unless told. */
  cancel?: string;
  /** What is lost: a red button, and the focus starts on the safe one. */
  danger?: boolean;
  /** Where the focus starts, below the body. */
  focus?: string;
  /** There is nothing to decide between: only the safe button. */
  plain?: boolean;
}

/** Ask, and tell whether the button that does it was pressed. The focus goes back to where it was. */
export async function ask(question: Question, trans: TranslationBundle): Promise<boolean> {
  const { danger = false } = question;
  const cancel = Dialog.cancelButton({ label: question.cancel ?? trans.__('Cancel') });
  const act = danger
    ? Dialog.warnButton({ label: question.action })
    : Dialog.okButton({ label: question.action });
  const body = ReactWidget.create(question.body);
  const dialog = new Dialog({
    title: question.title,
    body,
    buttons: question.plain ? [cancel] : [cancel, act],
    defaultButton: danger || question.plain ? 0 : 1,
    hasClose: false,
    ...(question.focus ? { focusNodeSelector: question.focus } : {})
  });
  dialog.addClass('jp-kb');
  dialog.addClass('jp-kb-dialog');
  dialog.node.ariaLabel = question.title;
  if (danger) {
    dialog.node.setAttribute('role', 'alertdialog');
  }
  return (await dialog.launch()).button.accept;
}
