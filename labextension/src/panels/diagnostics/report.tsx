// The dialog that copies a report: it shows what is copied, and asks whether names may be in it.
import { Clipboard, Dialog, ReactWidget } from '@jupyterlab/apputils';
import { useState } from 'react';

import { checksOf } from '../../model/checks';
import type { DiagnosticsContext } from './context';

export async function copyReport(context: DiagnosticsContext): Promise<void> {
  const { kb } = context;
  const { trans } = kb;
  const text = { current: '' };
  const dialog = new Dialog({
    title: trans.__('Copy report'),
    body: ReactWidget.create(<Report context={context} text={text} />),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Copy') })
    ],
    focusNodeSelector: 'input'
  });
  dialog.addClass('jp-kb');
  dialog.addClass('jp-kb-dialog');
  dialog.addClass('jp-kb-report');
  dialog.node.ariaLabel = trans.__('Copy report');
  if ((await dialog.launch()).button.accept) {
    Clipboard.copyToSystem(text.current);
  }
}

function Report({ context, text }: { context: DiagnosticsContext; text: { current: string } }): JSX.Element {
  const { kb, model, progress } = context;
  const [names, setNames] = useState(false);
  const report = model.report(checksOf(kb, progress), names);
  text.current = report;
  return (
    <div className="jp-kb-form">
      <pre tabIndex={0} aria-label={kb.trans.__('What is copied')}>
        {report}
      </pre>
      <label className="jp-kb-check">
        <input type="checkbox" checked={names} onChange={event => setNames(event.target.checked)} />
        <span>{kb.trans.__('With paths, and with what the problems say of notes')}</span>
      </label>
    </div>
  );
}
