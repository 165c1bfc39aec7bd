// Keeps documents of JupyterLab's own up to date with notes that change on disk; collaboration does that by itself.
import { ILabShell, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { find } from '@lumino/algorithm';
import { PromiseDelegate } from '@lumino/coreutils';
import type { Widget } from '@lumino/widgets';

import { ChangedDocuments } from '../model/documents';
import type { NoteDocument } from '../navigation/document';
import { IKnowledgeBase } from '../tokens';
import { clock } from '../ui/text';

export const documents: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:documents',
  description: 'Reads open notes anew when they change on disk, and says so where they have unsaved text.',
  autoStart: true,
  requires: [IKnowledgeBase, IDocumentManager],
  optional: [ILabShell],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    manager: IDocumentManager,
    shell: ILabShell | null
  ) => {
    const open = new OpenNotes(app, shell, manager, kb);
    for (const factory of ['Editor', 'Markdown Preview']) {
      app.docRegistry.addWidgetExtension(factory, {
        createNew: (_, context) => open.follow(context)
      });
    }
    kb.events.connect((_, event) => {
      if (event.kind === 'note_changed') {
        void open.changed([event.file]);
      } else if (event.kind === 'index_updated') {
        const all = event.counts.changed > event.changed.length; // only the first ones are named
        void open.changed(all ? null : event.changed);
      }
    });
  }
};

class OpenNotes {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _shell: ILabShell | null,
    private readonly _manager: IDocumentManager,
    private readonly _kb: IKnowledgeBase
  ) {}

  /** These notes changed; null for any. */
  async changed(files: readonly string[] | null): Promise<void> {
    const named = files && new Set(files);
    const contexts = new Set<DocumentRegistry.Context>();
    for (const widget of this._widgets()) {
      const context = this._manager.contextForWidget(widget);
      const file = context?.isReady ? this._kb.fileOf(context.path) : null;
      if (context && file !== null && (named === null || named.has(file))) {
        contexts.add(context);
      }
    }
    if (contexts.size > 0) {
      await this._documents.told(await Promise.all(Array.from(contexts, context => this._of(context))));
    }
  }

  /** From now on know when a document is being saved: its file changes before it knows of that itself. */
  follow(context: DocumentRegistry.Context): void {
    if (this._saving.has(context)) {
      return;
    }
    this._saving.set(context, null);
    context.saveState.connect((_, state) => {
      this._saving.get(context)?.resolve();
      this._saving.set(context, state === 'started' ? new PromiseDelegate<void>() : null);
    });
    context.disposed.connect(() => this._saving.get(context)?.resolve());
  }

  private _widgets(): Widget[] {
    const shell = this._shell ?? this._app.shell;
    return Array.from(shell.widgets('main'));
  }

  private async _of(context: DocumentRegistry.Context): Promise<NoteDocument> {
    const { NoteDocument } = await import('../navigation/document');
    const known = this._known.get(context);
    if (known) {
      return known;
    }
    const shown = (): Widget[] =>
      this._widgets().filter(widget => this._manager.contextForWidget(widget) === context);
    const saved = async (): Promise<void> => this._saving.get(context)?.promise;
    const made = new NoteDocument(context, this._app.serviceManager.contents, shown, saved);
    this._known.set(context, made);
    context.saveState.connect((_, state) => state === 'completed' && this._documents.settled(made));
    context.disposed.connect(() => this._documents.settled(made));
    return made;
  }

  private _warn(document: NoteDocument): void {
    const { trans } = this._kb;
    const name = PathExt.basename(document.context.localPath);
    const text = trans.__(
      '“%1” changed on disk at %2. Your unsaved text is kept; saving will ask you.',
      name,
      clock(Date.now())
    );
    this._settle(document);
    const id = Notification.warning(text, {
      autoClose: false,
      actions: [
        {
          label: trans.__('Compare'),
          caption: trans.__('Show what differs'),
          callback: event => {
            event.preventDefault(); // the notice stays until that is decided
            void this._compare(document, name);
          }
        },
        {
          label: trans.__('Keep mine'),
          caption: trans.__('Go on with your text; nothing is written until you save'),
          callback: () => undefined
        },
        {
          label: trans.__('Reload'),
          caption: trans.__('Discard your unsaved text and take what is on disk'),
          displayType: 'warn',
          callback: () => void this._reload(document)
        }
      ]
    });
    this._notices.set(document, id);
  }

  private _settle(document: NoteDocument): void {
    const id = this._notices.get(document);
    this._notices.delete(document);
    if (id !== undefined && find(Notification.manager.notifications, notice => notice.id === id)) {
      Notification.dismiss(id);
    }
  }

  private async _compare(document: NoteDocument, name: string): Promise<void> {
    const { trans } = this._kb;
    const [{ Comparison }, theirs] = await Promise.all([
      import('../panels/documents/comparison'),
      document.onDisk()
    ]);
    if (document.closed) {
      return;
    }
    const { button } = await showDialog({
      title: trans.__('“%1” here and on disk', name),
      body: new Comparison(document.context.model.toString(), theirs, trans),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Keep mine') }),
        Dialog.warnButton({ label: trans.__('Reload'), actions: ['reload'] })
      ],
      defaultButton: 0
    });
    this._settle(document);
    if (button.actions.includes('reload')) {
      await this._reload(document);
    }
  }

  private async _reload(document: NoteDocument): Promise<void> {
    if (!document.closed) {
      await document.discard();
      this._documents.settled(document);
    }
  }

  private readonly _known = new WeakMap<DocumentRegistry.Context, NoteDocument>();
  /** Settled at the end of the save that is under way; null without one. */
  private readonly _saving = new WeakMap<DocumentRegistry.Context, PromiseDelegate<void> | null>();
  private readonly _notices = new Map<NoteDocument, string>();
  private readonly _documents = new ChangedDocuments<NoteDocument>({
    warn: document => this._warn(document),
    settle: document => this._settle(document)
  });
}
