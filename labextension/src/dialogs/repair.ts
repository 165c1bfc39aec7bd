// Repairs of links that several panels offer: another heading for a link, and what is said where a note is not changed.
import { showErrorMessage } from '@jupyterlab/apputils';

import { ApiError } from '../api/request';
import { type BrokenLink, nameOf } from '../model/linkList';
import { NotThereError, retarget, withHeading } from '../model/linkRepair';
import { flat } from '../model/places';
import type { IKnowledgeBase } from '../tokens';
import { openMenu } from '../ui/menu';

/** Change a note; a refusal is told. `heading` names the section. */
export async function changeNote(
  kb: IKnowledgeBase,
  heading: string,
  act: () => Promise<unknown>
): Promise<void> {
  const { trans } = kb;
  try {
    await act();
  } catch (error) {
    if (error instanceof NotThereError) {
      await showErrorMessage(
        trans.__('Line %1 was not changed', error.line),
        trans.__(
          'It no longer says what this list was made of, or it holds the same link twice. Open the note and change it there.'
        )
      );
    } else if (error instanceof ApiError && error.code === 'conflict') {
      const { showConflict } = await import('./conflict');
      await showConflict(heading, null, error, trans);
    } else {
      await showErrorMessage(
        trans.__('The note was not changed'),
        error instanceof Error ? error.message : String(error)
      );
    }
  }
}

/** Let a heading of `file` be chosen for a link, in a menu at a button. Whether the list of links may be another now. */
export async function chooseHeading(
  kb: IKnowledgeBase,
  broken: BrokenLink,
  file: string,
  button: Element
): Promise<boolean> {
  const { client, trans } = kb;
  let headings;
  try {
    headings = flat((await client.outline(file)).sections).filter(node => node.level > 0);
  } catch {
    return true; // the note is gone: the list says so next
  }
  let changing: Promise<void> | null = null;
  const entries = headings.map(node => ({
    label: `${'\u2003'.repeat(node.level - 1)}${node.heading}`,
    run: () => {
      changing = changeNote(kb, broken.link.source.heading_path, async () =>
        retarget(client, broken, await withHeading(client, broken.link, node))
      );
    }
  }));
  const none = {
    label: trans.__('“%1” has no headings', nameOf(file)),
    run: () => undefined,
    disabled: true
  };
  await openMenu(entries.length ? entries : [none], button);
  await (changing as Promise<void> | null);
  return changing !== null;
}
