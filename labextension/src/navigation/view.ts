// A note as it is shown in the main area, whatever shows it: which line is read, and how to go to another.
import { EditorView } from '@codemirror/view';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import { FileEditor } from '@jupyterlab/fileeditor';
import { MarkdownViewer } from '@jupyterlab/markdownviewer';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { Outline } from '../api/types';
import { flat } from '../model/places';
import { flashWords, flashInElement } from './flash';

export interface NoteView {
  /** The line that is read, from 1: the cursor's, or the first one in sight. */
  readonly line: number;
  readonly moved: ISignal<unknown, void>;
  /** Bring a line to the top and mark words in its section for two seconds. */
  show(line: number, marks: readonly string[]): Promise<void>;
  dispose(): void;
}

/** How to reach the headings of a note: the preview knows no lines. */
export type OutlineOf = () => Promise<Outline | null>;

/** The view of a widget that shows a note, or null where it is something else. */
export function viewOf(widget: Widget, outline: OutlineOf): NoteView | null {
  const content = (widget as IDocumentWidget).content;
  if (content instanceof FileEditor && content.editor instanceof CodeMirrorEditor) {
    return new EditorNoteView(content.editor, content.ready);
  }
  return content instanceof MarkdownViewer ? new PreviewNoteView(content, outline) : null;
}

class EditorNoteView implements NoteView {
  constructor(
    private readonly _editor: CodeMirrorEditor,
    private readonly _ready: Promise<void>
  ) {
    _editor.model.selections.changed.connect(this._tell, this);
  }

  readonly moved = new Signal<this, void>(this);

  get line(): number {
    return this._editor.getCursorPosition().line + 1;
  }

  async show(line: number, marks: readonly string[]): Promise<void> {
    await this._ready;
    const view = this._editor.editor;
    const last = view.state.doc.lines;
    const start = view.state.doc.line(Math.min(Math.max(line, 1), last)).from;
    view.dispatch({
      selection: { anchor: start },
      effects: EditorView.scrollIntoView(start, { y: 'start', yMargin: 4 })
    });
    flashWords(view, start, marks);
  }

  dispose(): void {
    this._editor.model?.selections.changed.disconnect(this._tell, this);
    Signal.clearData(this);
  }

  private _tell(): void {
    this.moved.emit();
  }
}

class PreviewNoteView implements NoteView {
  constructor(
    private readonly _viewer: MarkdownViewer,
    private readonly _outline: OutlineOf
  ) {
    _viewer.rendered.connect(this._read, this);
    this._scroller.addEventListener('scroll', this._scrolled, { passive: true });
    void this._read();
  }

  readonly moved = new Signal<this, void>(this);

  get line(): number {
    const top = this._scroller.getBoundingClientRect().top + 8;
    const passed = this._headings().filter(heading => heading.getBoundingClientRect().top <= top).length;
    return this._lines[Math.max(0, passed - 1)] ?? 1;
  }

  async show(line: number, marks: readonly string[]): Promise<void> {
    await this._viewer.ready;
    await this._read();
    const index = this._lines.findLastIndex(start => start <= line);
    const heading = this._headings()[index];
    if (heading) {
      heading.scrollIntoView({ block: 'start' });
    } else {
      this._scroller.scrollTop = 0;
    }
    flashInElement(this._viewer.node, heading ?? null, marks);
  }

  dispose(): void {
    this._viewer.rendered.disconnect(this._read, this);
    this._scroller.removeEventListener('scroll', this._scrolled);
    Signal.clearData(this);
  }

  private get _scroller(): HTMLElement {
    return this._viewer.renderer.node;
  }

  private _headings(): HTMLElement[] {
    const all = this._viewer.renderer.node.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6');
    return Array.from(all).filter(heading => !heading.closest('.jp-kb-embed')); // those are of other notes
  }

  private async _read(): Promise<void> {
    const outline = await this._outline();
    this._lines = outline ? flat(outline.sections).map(section => section.line_range.start) : [];
    this.moved.emit();
  }

  private _scrolled = (): void => this.moved.emit();

  private _lines: number[] = [];
}
