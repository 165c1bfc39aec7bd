// The names of the commands. Arguments: `file` and `headingPath` name a section, as the server writes them.
export const Commands = {
  /** Show the search panel; `query` and `mode` fill it. Again: back to the editor. */
  search: 'jupyter-kb:search',
  /** Show the note panel. */
  showNote: 'jupyter-kb:show-note-panel',
  /** Open a note at a section: `file`, `headingPath`, `line`, `how`. */
  open: 'jupyter-kb:open',
  /** Open the section editor: `file`, `headingPath` (the whole note without one), `line`; where the reader is without all. */
  edit: 'jupyter-kb:edit-section',
  /** In the section editor in front, the first also in its merge view. */
  saveSection: 'jupyter-kb:save-section',
  insertAfterSection: 'jupyter-kb:insert-after-edited-section',
  renameSection: 'jupyter-kb:rename-edited-section',
  nextView: 'jupyter-kb:next-section-view',
  nextDifference: 'jupyter-kb:next-difference',
  previousDifference: 'jupyter-kb:previous-difference',
  /** `file`, `headingPath`, `where`: 'before' | 'after' | 'child'. */
  insert: 'jupyter-kb:insert-section',
  rename: 'jupyter-kb:rename-section',
  remove: 'jupyter-kb:delete-section',
  /** `file`, `headingPath`, `by`: -1 | 1. */
  move: 'jupyter-kb:move-section',
  /** `name` fills the dialog, `folder` says where; with `open` false the note is made and not shown. */
  createNote: 'jupyter-kb:create-note',
  /** `file`, `headingPath`; without them the section at the cursor, or one that is chosen. */
  copyLink: 'jupyter-kb:copy-section-link',
  /** The same; into the notebook in front. */
  insertIntoNotebook: 'jupyter-kb:insert-section-into-notebook',
  /** A note in the main area and in the note panel: `file`; without it the one that is selected, or in front. */
  openInPanel: 'jupyter-kb:open-in-knowledge-base',
  /** The link at the cursor, or the one that has the focus. */
  followLink: 'jupyter-kb:follow-link',
  previewLink: 'jupyter-kb:preview-link',
  /** Around a note: `file`; without one the note in front. */
  graph: 'jupyter-kb:open-graph',
  wholeGraph: 'jupyter-kb:open-whole-graph',
  diagnostics: 'jupyter-kb:open-diagnostics',
  chooseVault: 'jupyter-kb:choose-vault',
  refresh: 'jupyter-kb:refresh',
  rebuild: 'jupyter-kb:rebuild-index',
  pause: 'jupyter-kb:pause-embedding',
  resume: 'jupyter-kb:resume-embedding'
} as const;
