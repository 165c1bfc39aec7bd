// The result of a merge as an editor: a bar above each difference, a letter and a tint on lines that one side wrote.
import {
  type EditorState,
  type Extension,
  RangeSetBuilder,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  WidgetType,
  gutter
} from '@codemirror/view';
import { createElement } from 'react';
import { type Root, createRoot } from 'react-dom/client';
import type { TranslationBundle } from '@jupyterlab/translation';

import { type Merge, PLACEHOLDER, type Side, originsOf } from '../../model/merge';
import { ConflictBar } from './bar';

const setBounds = StateEffect.define<readonly number[]>();
const drawAgain = StateEffect.define<null>();

/** Where the pieces of a merge begin in the document, and where the last one ends. */
function bounds(merge: Merge): StateField<readonly number[]> {
  return StateField.define<readonly number[]>({
    create: () => boundsOf(merge),
    update: (value, transaction) => {
      for (const effect of transaction.effects) {
        if (effect.is(setBounds)) {
          return effect.value;
        }
      }
      // what is typed at a border belongs to the piece behind it
      return transaction.docChanged ? value.map(at => transaction.changes.mapPos(at, -1)) : value;
    }
  });
}

function boundsOf(merge: Merge): number[] {
  const found = [0];
  for (const piece of merge.pieces) {
    found.push((found.at(-1) ?? 0) + piece.text.length);
  }
  return found;
}

export class Result {
  constructor(
    private readonly _merge: Merge,
    private readonly _trans: TranslationBundle
  ) {
    this._bounds = bounds(_merge);
    _merge.changed.connect(this._changed, this);
  }

  /** The document to begin with: each line of each piece has its line feed. */
  get text(): string {
    return this._merge.pieces.map(piece => piece.text).join('');
  }

  get extension(): Extension {
    const look = StateField.define<DecorationSet>({
      create: state => this._decorations(state),
      update: (value, transaction) =>
        transaction.docChanged ||
        transaction.effects.some(effect => effect.is(drawAgain) || effect.is(setBounds))
          ? this._decorations(transaction.state)
          : value,
      provide: field => EditorView.decorations.from(field)
    });
    const letters = gutter({
      class: 'jp-kb-origin',
      lineMarker: (view, line) => {
        const side = this._origins(view.state).get(line.from);
        return side ? (side === 'mine' ? MINE : THEIRS) : null;
      },
      lineMarkerChange: update =>
        update.transactions.some(transaction => transaction.docChanged || transaction.effects.length > 0),
      initialSpacer: () => MINE
    });
    const typed = EditorView.updateListener.of(update => {
      this._view = update.view;
      if (update.docChanged && !this._ours) {
        this._read(update.state);
      }
    });
    return [this._bounds, look, letters, typed];
  }

  /** The editor that has the extension. */
  set view(view: EditorView) {
    this._view = view;
  }

  /** Put the focus on the bar of a conflict. */
  focus(index: number): void {
    const view = this._view;
    if (!view) {
      return;
    }
    const at = view.state.field(this._bounds)[index] ?? 0;
    view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    const attempt = (left: number): void => {
      const bar = view.dom.querySelector<HTMLElement>(`[data-kb-conflict="${index}"]`);
      if (bar) {
        bar.focus({ preventScroll: true });
        bar.scrollIntoView({ block: 'center' }); // what stands above may have been measured only now
      } else if (left) {
        requestAnimationFrame(() => attempt(left - 1)); // it is drawn once it is in sight
      }
    };
    attempt(10);
  }

  dispose(): void {
    this._merge.changed.disconnect(this._changed, this);
  }

  /** The merge has another text: so has the document. */
  private _changed(_: unknown, index: number | null): void {
    const view = this._view;
    if (!view || this._reading) {
      return;
    }
    const found = view.state.field(this._bounds);
    const effects: StateEffect<unknown>[] = [setBounds.of(boundsOf(this._merge)), drawAgain.of(null)];
    const piece = index === null ? null : this._merge.pieces[index];
    this._ours = true;
    try {
      view.dispatch({
        changes:
          piece && index !== null
            ? { from: found[index] ?? 0, to: found[index + 1] ?? 0, insert: piece.text }
            : { from: 0, to: view.state.doc.length, insert: this.text },
        effects
      });
    } finally {
      this._ours = false;
    }
    const bar = document.activeElement?.closest('[data-kb-conflict]');
    if (bar && view.dom.contains(bar)) {
      requestAnimationFrame(() => bar.scrollIntoView({ block: 'center' })); // and the lines that it decides on
    }
  }

  /** The document has another text: so has the merge. */
  private _read(state: EditorState): void {
    const found = state.field(this._bounds);
    this._reading = true;
    try {
      this._merge.pieces.forEach((_, index) => {
        const last = index === this._merge.pieces.length - 1;
        this._merge.type(index, state.sliceDoc(found[index], last ? undefined : found[index + 1]));
      });
    } finally {
      this._reading = false;
    }
    this._view?.dispatch({ effects: drawAgain.of(null) });
  }

  private _origins(state: EditorState): Map<number, Side> {
    const sides = new Map<number, Side>();
    const found = state.field(this._bounds);
    this._merge.pieces.forEach((piece, index) => {
      let at = found[index] ?? 0;
      for (const side of originsOf(piece)) {
        if (at >= state.doc.length) {
          return;
        }
        const line = state.doc.lineAt(at);
        if (side) {
          sides.set(line.from, side);
        }
        at = line.to + 1;
      }
    });
    return sides;
  }

  private _decorations(state: EditorState): DecorationSet {
    const found = state.field(this._bounds);
    const all: { at: number; side: number; decoration: Decoration }[] = [];
    const conflicts = this._merge.conflicts;
    conflicts.forEach(index => {
      const at = Math.min(found[index] ?? 0, state.doc.length);
      const line = state.doc.lineAt(at).from;
      const widget = new BarWidget(this._merge, index, this._trans);
      all.push({ at: line, side: -2, decoration: Decoration.widget({ widget, block: true, side: -1 }) });
      const piece = this._merge.pieces[index];
      if (piece?.choice === null && piece.text === PLACEHOLDER) {
        const text = this._trans.__('Choose mine, theirs or both, or type the line you want.');
        all.push({
          at,
          side: 1,
          decoration: Decoration.widget({ widget: new PlaceholderWidget(text), side: 1 })
        });
      }
    });
    for (const [at, side] of this._origins(state)) {
      all.push({ at, side: -1, decoration: Decoration.line({ class: `jp-kb-mod-${side}` }) });
    }
    all.sort((a, b) => a.at - b.at || a.side - b.side);
    const builder = new RangeSetBuilder<Decoration>();
    all.forEach(({ at, decoration }) => builder.add(at, at, decoration));
    return builder.finish();
  }

  private _view: EditorView | null = null;
  private _ours = false;
  private _reading = false;
  private readonly _bounds: StateField<readonly number[]>;
}

class Letter extends GutterMarker {
  constructor(private readonly _letter: string) {
    super();
  }
  override toDOM(): Node {
    return document.createTextNode(this._letter);
  }
}

const MINE = new Letter('M');
const THEIRS = new Letter('T');

class BarWidget extends WidgetType {
  constructor(
    private readonly _merge: Merge,
    private readonly _index: number,
    private readonly _trans: TranslationBundle
  ) {
    super();
  }

  override eq(other: BarWidget): boolean {
    return other._index === this._index && other._merge === this._merge;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('div');
    node.className = 'jp-kb-conflict-place';
    const root = createRoot(node);
    root.render(createElement(ConflictBar, { merge: this._merge, index: this._index, trans: this._trans }));
    roots.set(node, root);
    return node;
  }

  override destroy(node: HTMLElement): void {
    const root = roots.get(node);
    setTimeout(() => root?.unmount(), 0); // not while React draws
  }

  override get estimatedHeight(): number {
    return 34;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const roots = new WeakMap<HTMLElement, Root>();

class PlaceholderWidget extends WidgetType {
  constructor(private readonly _text: string) {
    super();
  }
  override eq(other: PlaceholderWidget): boolean {
    return other._text === this._text;
  }
  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-kb-placeholder';
    node.textContent = this._text;
    return node;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}
