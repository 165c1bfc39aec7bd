// Copying a link to a section, and putting a section into a notebook.
import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';

import type { IVaultLinks } from './token';
import { linkTo } from '../model/linkNames';
import { flat } from '../model/places';
import type { IKnowledgeBase, Place } from '../tokens';
import { pickSection } from './picker';

const SECONDS = 4;

/** Put the wikilink to a section on the clipboard; asks which one where the place is a note with several. */
export async function copySectionLink(
  kb: IKnowledgeBase,
  { resolver }: IVaultLinks,
  place: Place
): Promise<string | null> {
  const outline = await kb.client.outline(place.file);
  const several = flat(outline.sections).filter(section => section.level > 0).length > 1;
  const chosen =
    place.headingPath === undefined && several
      ? await pickSection(kb, resolver, {
          title: kb.trans.__('Copy section link'),
          accept: kb.trans.__('Copy link'),
          file: place.file
        })
      : place;
  if (!chosen) {
    return null;
  }
  const link = await linkTo(resolver, { file: place.file, title: outline.title }, chosen.headingPath ?? null);
  Clipboard.copyToSystem(link);
  // the clipboard cannot be seen
  Notification.success(kb.trans.__('Copied %1', link), { autoClose: SECONDS * 1000 });
  return link;
}

/** Put a section into a notebook as a Markdown cell below the active one, with a line that says where it is from. */
export async function insertSection(
  kb: IKnowledgeBase,
  { resolver }: IVaultLinks,
  panel: NotebookPanel,
  place: Place
): Promise<void> {
  const { file, headingPath = null } = place;
  const [section, outline] = await Promise.all([
    kb.client.section({ file, heading_path: headingPath, exact: headingPath !== null }),
    kb.client.outline(file)
  ]);
  const link = await linkTo(resolver, { file, title: outline.title }, headingPath);
  const text = section.content.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*\r?\n/, '').trim();
  const notebook = panel.content;
  const index = notebook.activeCellIndex + 1;
  notebook.model?.sharedModel.insertCell(index, {
    cell_type: 'markdown',
    source: `${text}\n\n*${kb.trans.__('From %1', link)}*`
  });
  notebook.activeCellIndex = index;
  await notebook.scrollToItem(index);
  notebook.activate();
}
