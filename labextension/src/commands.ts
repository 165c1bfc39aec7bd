// The names of the commands. Arguments: `file` and `headingPath` name a section, as the server writes them.
export const Commands = {
  /** Show the search panel; `query` and `mode` fill it. Again: back to the editor. */
  search: 'jupyter-kb:search',
  /** Show the note panel. */
  showNote: 'jupyter-kb:show-note-panel',
  /** Open a note at a section: `file`, `headingPath`, `line`, `how`. */
  open: 'jupyter-kb:open',
  /** Open the section editor: `file`, `headingPath`. */
  edit: 'jupyter-kb:edit-section',
  /** `file`, `headingPath`, `where`: 'before' | 'after' | 'child'. */
  insert: 'jupyter-kb:insert-section',
  rename: 'jupyter-kb:rename-section',
  remove: 'jupyter-kb:delete-section',
  /** `file`, `headingPath`, `by`: -1 | 1. */
  move: 'jupyter-kb:move-section',
  /** `name` fills the dialog, `folder` says where. */
  createNote: 'jupyter-kb:create-note',
  copyLink: 'jupyter-kb:copy-section-link',
  insertIntoNotebook: 'jupyter-kb:insert-section-into-notebook',
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
