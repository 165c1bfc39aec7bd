// The names of the commands. Arguments: `file` and `headingPath` name a section, as the server writes them.
export const Commands = {
  /** Show the search panel, with `query` and `mode`; from inside the panel, go back to the editor. */
  search: 'jupyter-kb:search',
  /** Show outline, links and properties of the note in front. */
  showNote: 'jupyter-kb:show-note-panel',
  /** Open a note at a section or line: `file`, `headingPath`, `line`, `how` ('peek' | 'open' | 'beside'). */
  open: 'jupyter-kb:open',
  /** Open the section editor: `file`, `headingPath` (the whole note without one), `line`; where the reader is without all. */
  edit: 'jupyter-kb:edit-section',
  /** Save the section that is edited in front, or the result of its merge. */
  saveSection: 'jupyter-kb:save-section',
  /** Insert a section after the one that is edited. */
  insertAfterSection: 'jupyter-kb:insert-after-edited-section',
  /** Rename the section that is edited. */
  renameSection: 'jupyter-kb:rename-edited-section',
  /** Show the next of source, split and preview in the section editor. */
  nextView: 'jupyter-kb:next-section-view',
  /** Go to the next difference of the merge view. */
  nextDifference: 'jupyter-kb:next-difference',
  /** Go to the difference before. */
  previousDifference: 'jupyter-kb:previous-difference',
  /** Ask for a heading and make a section: `file`, `headingPath`, `where` ('before' | 'after' | 'child'). */
  insert: 'jupyter-kb:insert-section',
  /** Ask for another heading; the links to it may follow: `file`, `headingPath`. */
  rename: 'jupyter-kb:rename-section',
  /** Ask, and delete a section with its subsections: `file`, `headingPath`. */
  remove: 'jupyter-kb:delete-section',
  /** Change places with the section before or after it: `file`, `headingPath`, `by` (-1 | 1). */
  move: 'jupyter-kb:move-section',
  /** Ask for a name and make a note; `name` and `folder` fill the dialog, with `open` false the note is not shown. */
  createNote: 'jupyter-kb:create-note',
  /** Copy the wikilink of a section: `file`, `headingPath`; without them of the one at the cursor, or one that is chosen. */
  copyLink: 'jupyter-kb:copy-section-link',
  /** Put a section into the notebook in front: `file`, `headingPath`; without them the one that is chosen. */
  insertIntoNotebook: 'jupyter-kb:insert-section-into-notebook',
  /** Open a note and show the note panel: `file`; without it the one that is selected, or in front. */
  openInPanel: 'jupyter-kb:open-in-knowledge-base',
  /** Open what the link at the cursor, or the one that has the focus, leads to. */
  followLink: 'jupyter-kb:follow-link',
  /** Show what that link leads to. */
  previewLink: 'jupyter-kb:preview-link',
  /** Show the notes around a note: `file`; without it the note in front. */
  graph: 'jupyter-kb:open-graph',
  /** Show all notes of the vault. */
  wholeGraph: 'jupyter-kb:open-whole-graph',
  /** Show the checks of the knowledge base and the problems in the notes. */
  diagnostics: 'jupyter-kb:open-diagnostics',
  /** Work with another of the server's vaults: `name`. */
  chooseVault: 'jupyter-kb:choose-vault',
  /** Ask the server again what it offers and how it stands. */
  refresh: 'jupyter-kb:refresh',
  /** Build the index anew from the notes. */
  rebuild: 'jupyter-kb:rebuild-index',
  /** Stop making vectors until somebody resumes it. */
  pause: 'jupyter-kb:pause-embedding',
  /** Go on making vectors. */
  resume: 'jupyter-kb:resume-embedding'
} as const;
