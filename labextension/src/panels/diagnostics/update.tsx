// The dialog before the index is compared with all notes on disk.
import { showErrorMessage } from '@jupyterlab/apputils';

import { ask } from '../../dialogs/dialog';
import type { IKnowledgeBase } from '../../tokens';
import { amount } from '../../ui/text';

export async function updateIndex(kb: IKnowledgeBase): Promise<void> {
  const { trans } = kb;
  const notes = kb.status?.notes ?? 0;
  const body = (
    <p>
      {trans._n(
        'The index is compared with %2 note on disk; if it changed, it is read again.',
        'The index is compared with all %2 notes on disk; those that changed are read again.',
        notes,
        amount(notes)
      )}{' '}
      {trans.__('Search goes on working meanwhile.')}
    </p>
  );
  if (!(await ask({ title: trans.__('Update the index?'), body, action: trans.__('Update') }, trans))) {
    return;
  }
  try {
    await kb.client.reindex();
    await kb.refresh();
  } catch (error) {
    await showErrorMessage(trans.__('The index was not updated'), error as Error);
  }
}
