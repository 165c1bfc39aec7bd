// A note that is open in a document of JupyterLab's own: reading it anew without losing the place, or a key.
import { EditorView } from '@codemirror/view';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { DocumentRegistry, IDocumentWidget } from '@jupyterlab/docregistry';
import { FileEditor } from '@jupyterlab/fileeditor';
import { MarkdownViewer } from '@jupyterlab/markdownviewer';
import type { Contents } from '@jupyterlab/services';
import { EditorSelection } from '@codemirror/state';
import type { Widget } from '@lumino/widgets';

import { movedPlace, type OpenDocument } from '../model/documents';

export class NoteDocument implements OpenDocument {
  /** `widgets` gives those that show the document now; `saved` resolves when no save is under way. */
  constructor(
    readonly context: DocumentRegistry.Context,
    private readonly _contents: Contents.IManager,
    private readonly _widgets: () => Widget[],
    private readonly _saved: () => Promise<void>
  ) {}

  get dirty(): boolean {
    return this.context.model.dirty;
  }

  get collaborative(): boolean {
    return this.context.model.collaborative === true;
  }

  get closed(): boolean {
    return this.context.isDisposed;
  }

  get loaded(): string | undefined {
    return this.context.contentsModel?.hash;
  }

  async current(): Promise<string | null> {
    try {
      await this._saved();
      const model = await this._contents.get(this.context.path, { content: false, hash: true });
      return model.hash ?? model.last_modified;
    } catch {
      return null; // gone, or no answer: JupyterLab asks at the next save
    }
  }

  /** The file's text, for a comparison. */
  async onDisk(): Promise<string> {
    const model = await this._contents.get(this.context.path, { content: true, format: 'text' });
    return String(model.content).replace(/\r\n?/g, '\n');
  }

  async reload(): Promise<boolean> {
    return this._taken(false);
  }

  /** As `reload`, for somebody who wants to lose what is not saved. */
  async discard(): Promise<void> {
    await this._taken(true);
  }

  private async _taken(discard: boolean): Promise<boolean> {
    const { context } = this;
    const { model } = context;
    const before = model.toString();
    const texts: string[] = [];
    const listen = (): void => void texts.push(model.toString());
    const restore = this._widgets().map(placeOf);
    model.contentChanged.connect(listen);
    try {
      await context.revert();
    } finally {
      model.contentChanged.disconnect(listen);
    }
    if (context.isDisposed) {
      return true;
    }
    const typed = texts.at(-2); // the last one is that of the file; before it somebody typed
    const kept = discard || typed === undefined ? null : await merged(before, typed, model.toString());
    if (kept) {
      model.fromString(kept.text);
    }
    model.dirty = kept !== null;
    restore.forEach(go => go());
    return kept?.clean ?? true;
  }
}

/** Both changes of a text; where they touch each other, `mine` alone. */
async function merged(
  before: string,
  mine: string,
  theirs: string
): Promise<{ text: string; clean: boolean }> {
  const { diff3Merge } = await import('node-diff3');
  const parts = diff3Merge(mine.split('\n'), before.split('\n'), theirs.split('\n'), {
    excludeFalseConflicts: true
  });
  const lines = parts.map(part => part.ok ?? null);
  return lines.includes(null)
    ? { text: mine, clean: false }
    : { text: lines.flatMap(part => part ?? []).join('\n'), clean: true };
}

/** Remembers where in a note the reader is; the function that comes back goes there again in the new text. */
function placeOf(widget: Widget): () => void {
  const content = (widget as IDocumentWidget).content;
  if (content instanceof FileEditor && content.editor instanceof CodeMirrorEditor) {
    return editorPlace(content.editor.editor);
  }
  if (content instanceof MarkdownViewer) {
    const node = content.renderer.node;
    const top = node.scrollTop;
    return () => {
      const go = (): void => {
        content.rendered.disconnect(go);
        node.scrollTop = top;
      };
      content.rendered.connect(go);
    };
  }
  return () => undefined;
}

function editorPlace(view: EditorView): () => void {
  const before = view.state.doc.toString();
  const { selection } = view.state;
  const { scrollTop, scrollLeft } = view.scrollDOM;
  const top = view.lineBlockAtHeight(scrollTop);
  return () => {
    const moved = movedPlace(before, view.state.doc.toString());
    const ranges = selection.ranges.map(range =>
      EditorSelection.range(moved(range.anchor), moved(range.head))
    );
    view.dispatch({
      selection: EditorSelection.create(ranges, selection.mainIndex),
      effects: EditorView.scrollIntoView(moved(top.from), { y: 'start', yMargin: top.top - scrollTop })
    });
    view.scrollDOM.scrollLeft = scrollLeft;
  };
}
