// The section editor: the place in the note above, the text and its preview beside each other, what is known of it below.
import { EditorView } from '@codemirror/view';
import { ReactWidget } from '@jupyterlab/apputils';
import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { type Message, MessageLoop } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Panel, SplitPanel, Widget } from '@lumino/widgets';
import { createElement } from 'react';

import { Client } from '../../api/client';
import { Drafts } from '../../model/draft';
import { SectionModel } from '../../model/section';
import type { NoteView } from '../../navigation/view';
import type { IKnowledgeBase } from '../../tokens';
import type { MergeView } from '../merge';
import { Actions, Layout, type Surroundings } from './actions';
import { askDiscard } from './discard';
import { Failed } from './failed';
import { Foot } from './foot';
import { Head } from './head';
import { Preview } from './preview';
import { link, pointsOf } from './scroll';
import { MarkdownText } from './text';

const OPENINGS = 'jupyter-kb:editor-openings';
/** So many editors say that only the section is written. */
const LESSONS = 3;

export interface EditorOptions extends Omit<Surroundings, 'client' | 'trans' | 'vault'> {
  kb: IKnowledgeBase;
  vault: string;
  services: IEditorServices;
  rendermime: IRenderMimeRegistry;
  file: string;
  headingPath: string | null;
  line: number | null;
}

export class SectionEditor extends Panel {
  constructor(private readonly _options: EditorOptions) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-editor');
    const { kb, vault, file, headingPath, app, services, rendermime } = _options;
    const { trans } = kb;
    const client =
      kb.vault?.name === vault ? kb.client : new Client(app.serviceManager.serverSettings, vault);
    this.model = new SectionModel({
      client,
      events: kb.events,
      drafts: new Drafts(() => window.localStorage, vault),
      file,
      headingPath,
      readOnly: kb.status?.read_only ?? false
    });
    kb.statusChanged.connect(this._statusRead, this);
    this.actions = new Actions(this.model, { ..._options, client, trans });
    window.addEventListener('pagehide', this._keep);

    this.text = new MarkdownText({
      services,
      label: trans.__('Section source'),
      text: '',
      extensions: [
        EditorView.updateListener.of(update => {
          if (update.docChanged) {
            this.model.type(update.state.doc.toString());
          }
          if (update.selectionSet || update.docChanged) {
            this.moved.emit();
          }
        })
      ]
    });
    this.preview = new Preview({
      rendermime,
      contents: app.serviceManager.contents,
      path: kb.contentsPathOf(file),
      label: trans.__('Preview')
    });
    this._split = new SplitPanel({ orientation: 'horizontal', spacing: 1 });
    this._split.addClass('jp-kb-editor-split');
    this._split.addWidget(this.text);
    this._split.addWidget(this.preview);
    const known = taught();
    const { model, views: layout, actions } = this;
    this.addWidget(part('jp-kb-editor-head', () => createElement(Head, { model, layout, actions, trans })));
    this.addWidget(part('jp-kb-editor-failed', () => createElement(Failed, { model, trans })));
    this.addWidget(this._split);
    this.addWidget(part('jp-kb-editor-below', () => createElement(Foot, { model, taught: known, trans })));
    this._unlink = link(this.text.view.scrollDOM, this.preview.node, () =>
      pointsOf(this.text.view, this.preview.blocks, this.preview.skipped)
    );
    // what stands above is drawn later and changes its height, of which Lumino hears nothing
    this._observer = new ResizeObserver(() => {
      this.views.width = this.node.offsetWidth;
      MessageLoop.postMessage(this._split, Widget.ResizeMessage.UnknownSize);
    });
    this._observer.observe(this.node);
    this._observer.observe(this._split.node);
    model.changed.connect(this._show, this);
    model.replaced.connect(() => this.text.replace(model.text));
    layout.changed.connect(this._arrange, this);
    this._arrange();
    void this._load();
  }

  readonly model: SectionModel;
  readonly actions: Actions;
  readonly views = new Layout();
  readonly text: MarkdownText;
  readonly preview: Preview;
  /** The cursor is elsewhere. */
  readonly moved = new Signal<this, void>(this);

  /** What the note panel follows. */
  get noteView(): NoteView {
    const editor = this; // eslint-disable-line @typescript-eslint/no-this-alias -- the view reads it as it is then
    return {
      get line() {
        return editor.text.line;
      },
      moved: this.moved,
      show: line => Promise.resolve(this.goTo(line)),
      dispose: () => undefined
    };
  }

  /** Go to a line of the file. */
  goTo(line: number): void {
    this.text.goTo(line);
    this.text.view.focus();
  }

  /** Whether the tab may be closed; asks where something would be lost. */
  async mayClose(): Promise<boolean> {
    const { model, _options } = this;
    if (!model.dirty || model.status === 'failed') {
      return true;
    }
    const sure = await askDiscard(model, _options.kb.trans);
    if (sure) {
      await model.discard();
    }
    return sure;
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this._unlink();
    this._observer.disconnect();
    this._options.kb.statusChanged.disconnect(this._statusRead, this);
    window.removeEventListener('pagehide', this._keep);
    this.model.dispose();
    Signal.clearData(this);
    super.dispose();
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    if (this._merge) {
      this._merge.activate();
    } else if (this.views.shown === 'preview') {
      this.preview.node.focus();
    } else {
      this.text.view.focus();
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.model.active = true;
  }

  protected override onBeforeHide(message: Message): void {
    super.onBeforeHide(message);
    this.model.active = false;
  }

  private async _load(): Promise<void> {
    const { model } = this;
    await model.load();
    if (model.loaded && !this.isDisposed) {
      this.text.first = model.lines.start;
      if (this._options.line !== null) {
        this.text.goTo(this._options.line);
      }
      this._show();
    }
  }

  private _show(): void {
    const { model, text, preview } = this;
    text.first = model.lines.start;
    preview.text = model.text;
    const readOnly = model.status === 'readonly' || !model.loaded;
    if (text.editor.getOption('readOnly') !== readOnly) {
      text.editor.setOption('readOnly', readOnly);
    }
    this._split.setHidden(!model.loaded || model.merge !== null);
    void this._showMerge();
  }

  private async _showMerge(): Promise<void> {
    const { merge } = this.model;
    if (merge && !this._opening) {
      this._opening = true;
      const { MergeView } = await import('../merge');
      if (this.model.merge && !this.isDisposed) {
        this._merge = new MergeView(this.actions, this._options.services, this._options.kb.trans);
        this.insertWidget(3, this._merge);
        this._merge.activate();
      } else {
        this._opening = false;
      }
    } else if (!merge && this._merge) {
      const focused =
        this._merge.node.contains(document.activeElement) || document.activeElement === document.body;
      this._merge.dispose();
      this._merge = null;
      this._opening = false;
      if (focused && this.isVisible) {
        this.activate();
      }
    }
  }

  private _arrange(): void {
    const { shown } = this.views;
    const hides = shown === 'preview' ? this.text.node : shown === 'source' ? this.preview.node : null;
    const focused = hides?.contains(document.activeElement) ?? false;
    this.text.setHidden(shown === 'preview');
    this.preview.setHidden(shown === 'source');
    this.toggleClass('jp-kb-mod-narrow', this.views.narrow);
    if (focused) {
      this.activate(); // what had the focus is hidden: it goes to what is shown
    }
  }

  private _statusRead(kb: IKnowledgeBase): void {
    if (kb.vault?.name === this._options.vault && kb.status) {
      this.model.restrict(kb.status.read_only);
    }
  }

  /** What is shown while there is something to be decided. */
  get merge(): MergeView | null {
    return this._merge;
  }

  /** What was typed in the last moment is to outlive the page. */
  private readonly _keep = (): void => this.model.drafts.flush();
  private _merge: MergeView | null = null;
  private _opening = false;
  private readonly _split: SplitPanel;
  private readonly _observer: ResizeObserver;
  private readonly _unlink: () => void;
}

function part(name: string, render: () => JSX.Element): ReactWidget {
  const widget = ReactWidget.create(createElement(render));
  widget.addClass(name);
  return widget;
}

/** Whether the reader has opened enough editors to know; counts this one. */
function taught(): boolean {
  try {
    const before = Number(localStorage.getItem(OPENINGS) ?? 0);
    localStorage.setItem(OPENINGS, String(before + 1));
    return before >= LESSONS;
  } catch {
    return false;
  }
}
