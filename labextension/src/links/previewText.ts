// What is said of a previewed section in a line each: where it stands, who links to its note.
import type { TranslationBundle } from '@jupyterlab/translation';

import type { LinkPreview } from '../model/linkPreview';
import { amount, breadcrumb } from '../ui/text';

/** `folder / note.md › Heading`, without the note's title once more. */
export function placeOf({ file, headingPath, title }: LinkPreview): string {
  const path = file.split('/').join(' / ');
  const heading = headingPath?.startsWith(`${title} > `) ? headingPath.slice(title.length + 3) : headingPath;
  return heading && heading !== title ? `${path} › ${breadcrumb(heading)}` : path;
}

export function linkedFrom({ linkedFrom, more }: LinkPreview, trans: TranslationBundle): string {
  if (more) {
    return trans.__('more than %1 notes link here', amount(linkedFrom));
  }
  return linkedFrom === 0
    ? trans.__('no note links here')
    : trans._n('%1 note links here', '%1 notes link here', linkedFrom, amount(linkedFrom));
}
