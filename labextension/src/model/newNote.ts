// Where a note goes that is still to be made. Whether it may be there is for the server to say. No DOM.

/** The path of a note with a name in a folder; null without a name. */
export function noteFile(name: string, folder: string): string | null {
  const stem = name.trim().replace(/\.md$/i, '');
  const inside = folder
    .split('/')
    .map(part => part.trim())
    .filter(part => part !== '');
  return stem === '' ? null : [...inside, `${stem}.md`].join('/');
}
