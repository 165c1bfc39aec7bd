// The text of a section in JupyterLab's own editor: its keys, its theme, the line numbers of the file.
import { type Extension, Facet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { CodeEditor, CodeEditorWrapper, type IEditorServices } from '@jupyterlab/codeeditor';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';

const setFirst = StateEffect.define<number>();
const first = StateField.define<number>({
  create: () => 1,
  update: (value, transaction) =>
    transaction.effects.reduce((now, effect) => (effect.is(setFirst) ? effect.value : now), value)
});
/** Read by the line numbers, which are drawn anew when it is another. */
const shift = Facet.define<number, number>({ combine: values => values[0] ?? 1 });

const numbering: Extension = [
  first,
  shift.from(first),
  lineNumbers({ formatNumber: (line, state) => String(line + state.facet(shift) - 1) })
];

export interface TextOptions {
  services: IEditorServices;
  /** The editor's accessible name. */
  label: string;
  text: string;
  readOnly?: boolean;
  extensions?: readonly Extension[];
}

/** An editor of Markdown with numbers of lines that begin anywhere. */
export class MarkdownText extends CodeEditorWrapper {
  constructor({ services, label, text, readOnly = false, extensions = [] }: TextOptions) {
    const model = new CodeEditor.Model({
      mimeType: services.mimeTypeService.getMimeTypeByFilePath('note.md')
    });
    model.sharedModel.setSource(text);
    super({
      factory: services.factoryService.newDocumentEditor,
      model,
      editorOptions: {
        config: { lineNumbers: true, lineWrap: true, scrollPastEnd: false, readOnly },
        extensions: [numbering, EditorView.contentAttributes.of({ 'aria-label': label }), ...extensions]
      }
    });
    this.addClass('jp-kb-text');
    model.sharedModel.clearUndoHistory();
  }

  get view(): EditorView {
    return (this.editor as CodeMirrorEditor).editor;
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** The number of the first line. */
  set first(line: number) {
    if (this.view.state.field(first) !== line) {
      this.view.dispatch({ effects: setFirst.of(line) });
    }
  }

  /** Put another text in place of this one; cursor and scroll position stay at the text that is the same. */
  replace(text: string): void {
    const now = this.text;
    const shorter = Math.min(now.length, text.length);
    let head = 0;
    while (head < shorter && now[head] === text[head]) {
      head += 1;
    }
    let tail = 0;
    while (tail < shorter - head && now.at(-1 - tail) === text.at(-1 - tail)) {
      tail += 1;
    }
    if (now !== text) {
      this.view.dispatch({
        changes: { from: head, to: now.length - tail, insert: text.slice(head, text.length - tail) }
      });
      this.editor.clearHistory(); // going back would undo what somebody else did
    }
  }

  /** Bring a line of the file to the top and put the cursor there. */
  goTo(line: number): void {
    const { view } = this;
    const { doc } = view.state;
    const at = doc.line(Math.min(Math.max(1, line - view.state.field(first) + 1), doc.lines)).from;
    view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: 'start', yMargin: 4 })
    });
  }

  /** The line of the file in which the cursor is. */
  get line(): number {
    const { state } = this.view;
    return state.doc.lineAt(state.selection.main.head).number + state.field(first) - 1;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      const { model } = this;
      super.dispose();
      model.dispose();
    }
  }
}
