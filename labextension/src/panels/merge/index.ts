// The merge view: mine and theirs beside each other, the result below, each difference to be decided.
import { ReactWidget } from '@jupyterlab/apputils';
import type { IEditorServices } from '@jupyterlab/codeeditor';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Message } from '@lumino/messaging';
import { Panel, type Widget } from '@lumino/widgets';
import { type FunctionComponent, createElement } from 'react';

import { type Conflict, type Merge, type Side, tintsOf } from '../../model/merge';
import type { SectionModel } from '../../model/section';
import type { Actions } from '../editor/actions';
import { link, type Points } from '../editor/scroll';
import { MarkdownText } from '../editor/text';
import { Banner, type FrameProps, MergeFoot, ResultHead, SideHead } from './frame';
import { Result } from './result';
import { SideText } from './side';

export class MergeView extends Panel {
  /** The actions' model must have a merge. */
  constructor(actions: Actions, services: IEditorServices, trans: TranslationBundle) {
    super();
    this.addClass('jp-kb-merge');
    this._model = actions.model;
    this._merge = actions.model.merge as Merge;
    const props: FrameProps = { model: this._model, merge: this._merge, actions, trans };
    const frame = <P extends FrameProps>(
      component: FunctionComponent<P>,
      more: Omit<P, keyof FrameProps>
    ): Widget => {
      const widget = ReactWidget.create(createElement(component, { ...props, ...more } as P & FrameProps));
      widget.addClass('jp-kb-merge-part');
      return widget;
    };

    this._mine = new SideText(services, trans.__('Mine'), 'mine');
    this._theirs = new SideText(services, trans.__('Theirs'), 'theirs');
    this._result = new Result(this._merge, trans);
    this._text = new MarkdownText({
      services,
      label: trans.__('Result'),
      text: this._result.text,
      extensions: [this._result.extension]
    });
    this._result.view = this._text.view;

    const sides = new Panel();
    sides.addClass('jp-kb-merge-sides');
    for (const [side, text, name] of [
      ['mine', this._mine, trans.__('Mine')],
      ['theirs', this._theirs, trans.__('Theirs')]
    ] as const) {
      sides.addWidget(column(name, frame(SideHead, { side }), text));
    }
    const result = column(
      trans.__('Result'),
      frame(ResultHead, { go: (by: 1 | -1) => this.go(by) }),
      this._text
    );
    result.addClass('jp-kb-merge-result');
    this.addWidget(frame(Banner, {}));
    this.addWidget(sides);
    this.addWidget(result);
    this.addWidget(frame(MergeFoot, {}));
    this._unlink = link(this._mine.node, this._theirs.node, () => this._points());
    this._merge.changed.connect(this._changed, this);
    this._draw();
  }

  /** Put the focus on the next difference, or the one before; round at the ends. */
  go(by: 1 | -1): void {
    const all = this._merge.conflicts;
    if (!all.length) {
      this._text.view.focus();
      return;
    }
    const focused = document.activeElement?.closest('[data-kb-conflict]')?.getAttribute('data-kb-conflict');
    const at = all.indexOf(Number(focused ?? this._at));
    this._show(all[(at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by + all.length) % all.length] ?? 0);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._unlink();
      this._result.dispose();
      this._merge.changed.disconnect(this._changed, this);
      super.dispose();
    }
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    const { conflicts, pieces } = this._merge;
    const first = conflicts.find(index => pieces[index]?.choice === null) ?? conflicts[0];
    if (first === undefined) {
      this._text.view.focus();
    } else {
      this._show(first);
    }
  }

  private _show(index: number): void {
    this._at = index;
    this._result.focus(index);
    const { at } = this._merge.pieces[index]?.part as Conflict;
    this._mine.reveal(at.mine);
    this._theirs.reveal(at.theirs);
  }

  private _changed(_: unknown, index: number | null): void {
    if (index === null) {
      this._draw();
    }
  }

  private _draw(): void {
    const { mine, base, theirs } = this._merge;
    const tints = tintsOf(mine, base, theirs);
    this._mine.showText(mine, tints.mine);
    this._theirs.showText(theirs, tints.theirs);
    const start = this._model.lines.start;
    this._mine.first = start;
    this._theirs.first = start;
    this._text.first = start;
  }

  /** Lines at which the two sides are at the same place. */
  private _points(): Points {
    const top = (text: MarkdownText, line: number): number => {
      const { doc } = text.view.state;
      return text.view.lineBlockAt(doc.line(Math.min(doc.lines, line + 1)).from).top;
    };
    const points: [number, number][] = [[0, 0]];
    for (const piece of this._merge.pieces) {
      if (piece.part.kind === 'conflict') {
        const { at } = piece.part as { at: Record<Side, number> };
        points.push([top(this._mine, at.mine), top(this._theirs, at.theirs)]);
      }
    }
    return points;
  }

  private _at = -1;
  private readonly _model: SectionModel;
  private readonly _merge: Merge;
  private readonly _mine: SideText;
  private readonly _theirs: SideText;
  private readonly _text: MarkdownText;
  private readonly _result: Result;
  private readonly _unlink: () => void;
}

function column(name: string, head: Widget, text: Widget): Panel {
  const panel = new Panel();
  panel.addClass('jp-kb-merge-column');
  panel.node.setAttribute('role', 'region');
  panel.node.setAttribute('aria-label', name);
  panel.addWidget(head);
  panel.addWidget(text);
  return panel;
}
