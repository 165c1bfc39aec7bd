// Opens notes in JupyterLab's own documents and follows where in which note the reader is.
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { showErrorMessage } from '@jupyterlab/apputils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { IDocumentWidget } from '@jupyterlab/docregistry';
import { type ISignal, Signal } from '@lumino/signaling';
import { DockPanel, type Widget } from '@lumino/widgets';

import type { Outline } from '../api/types';
import { Commands } from '../commands';
import { IN } from '../links/sources';
import { sectionNamed } from '../model/places';
import type { IKnowledgeBase, INavigator, OpenOptions, Place } from '../tokens';
import { PeekTab } from './peek';
import { type NoteView, viewOf } from './view';

const FACTORY = { default: undefined, editor: 'Editor', preview: 'Markdown Preview' } as const;
/** Milliseconds between two tellings of where the reader is. */
const EVERY = 100;

export class Navigator implements INavigator {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _kb: IKnowledgeBase,
    private readonly _documents: IDocumentManager,
    private readonly _shell: ILabShell | null
  ) {
    _shell?.currentChanged.connect((_, { newValue }) => this._front(newValue));
    _kb.changed.connect(() => this._front(_shell?.currentWidget ?? null));
    void _app.restored.then(() => this._front(_shell?.currentWidget ?? null));
  }

  get current(): Place | null {
    return this._current;
  }

  get currentChanged(): ISignal<this, Place | null> {
    return this._currentChanged;
  }

  async open(place: Place, options: OpenOptions = {}): Promise<void> {
    const path = this._kb.contentsPathOf(place.file);
    if (path === null) {
      await this._app.commands.execute(Commands.edit, { ...place }); // no document of JupyterLab's can show it
      return;
    }
    try {
      const widget = await this._show(path, options.how ?? 'open');
      const line =
        place.line ?? (place.headingPath ? await this._lineOf(place.file, place.headingPath) : null);
      const view = viewOf(widget, () => this._outline(place.file));
      await view?.show(line ?? 1, options.marks ?? []);
      view?.dispose();
    } catch (error) {
      await showErrorMessage(
        this._kb.trans.__('“%1” could not be opened', place.file),
        error instanceof Error ? error.message : String(error)
      );
    }
  }

  /** A widget of ours that shows a note in its own way. */
  follow(widget: Widget, file: string, view: NoteView): void {
    this._own.set(widget, { file, view });
    widget.node.setAttribute(IN, file); // links in it are meant as if they stood in the note
    widget.disposed.connect(() => this._own.delete(widget));
    if (widget === this._shell?.currentWidget) {
      this._front(widget);
    }
  }

  private async _show(path: string, how: NonNullable<OpenOptions['how']>): Promise<IDocumentWidget> {
    const known = this._documents.findWidget(path, null);
    const factory = FACTORY[this._kb.settings.openWith];
    const peeked = this._peek.widget;
    let widget = known;
    if (!widget) {
      const place =
        how === 'beside'
          ? ({ mode: 'split-right' } as const)
          : how === 'peek' && peeked
            ? ({ ref: peeked.id, mode: 'tab-after' } as const)
            : {};
      widget = this._documents.openOrReveal(path, factory, undefined, { ...place, activate: how !== 'peek' });
    }
    if (!widget) {
      throw new Error(this._kb.trans.__('JupyterLab has nothing that shows this kind of file.'));
    }
    await widget.revealed;
    await widget.context.ready;
    if (how === 'peek') {
      if (!known) {
        this._peek.hold(widget, widget.context);
        peeked?.close();
      }
      if (widget.parent instanceof DockPanel) {
        widget.parent.selectWidget(widget); // to the front, the focus stays where it is
      }
    } else {
      if (widget === this._peek.widget) {
        this._peek.keep();
      }
      this._app.shell.activateById(widget.id);
    }
    return widget;
  }

  private async _lineOf(file: string, headingPath: string): Promise<number | null> {
    const outline = await this._outline(file);
    return (outline && sectionNamed(outline, headingPath)?.line_range.start) ?? null;
  }

  private async _outline(file: string): Promise<Outline | null> {
    try {
      return await this._kb.client.outline(file);
    } catch {
      return null; // the note is shown from its beginning
    }
  }

  private _front(widget: Widget | null): void {
    this._view?.moved.disconnect(this._later, this);
    if (this._ownView !== this._view) {
      this._view?.dispose();
    }
    const own = widget && this._own.get(widget);
    const context = widget && this._documents.contextForWidget(widget);
    const file = own ? own.file : context ? this._kb.fileOf(context.path) : null;
    this._file = file;
    this._ownView = own ? own.view : null;
    this._view = own ? own.view : widget && file !== null ? viewOf(widget, () => this._outline(file)) : null;
    this._view?.moved.connect(this._later, this);
    this._tell();
  }

  private _later(): void {
    this._timer ??= setTimeout(() => {
      this._timer = null;
      this._tell();
    }, EVERY);
  }

  private _tell(): void {
    const next = this._file === null ? null : { file: this._file, line: this._view?.line ?? null };
    if (next?.file !== this._current?.file || next?.line !== this._current?.line) {
      this._current = next;
      this._currentChanged.emit(next);
    }
  }

  private _current: Place | null = null;
  private _file: string | null = null;
  private _view: NoteView | null = null;
  private _ownView: NoteView | null = null;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private readonly _own = new Map<Widget, { file: string; view: NoteView }>();
  private readonly _peek = new PeekTab();
  private readonly _currentChanged = new Signal<this, Place | null>(this);
}
