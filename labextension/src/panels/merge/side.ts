// One of the two versions, to be read: lines that it changed are tinted, words that the other has not are marked.
import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { IEditorServices } from '@jupyterlab/codeeditor';

import type { Side, Tints } from '../../model/merge';
import { MarkdownText } from '../editor/text';

const setTints = StateEffect.define<{ side: Side; tints: Tints }>();

const tinted = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setTints)) {
        const { side, tints } = effect.value;
        const builder = new RangeSetBuilder<Decoration>();
        for (let number = 1; number <= transaction.state.doc.lines; number += 1) {
          const line = transaction.state.doc.line(number);
          if (tints.lines.has(number - 1)) {
            builder.add(line.from, line.from, Decoration.line({ class: `jp-kb-mod-${side}` }));
            for (const [from, to] of tints.words.get(number - 1) ?? []) {
              builder.add(line.from + from, line.from + to, Decoration.mark({ class: `jp-kb-word-${side}` }));
            }
          }
        }
        return builder.finish();
      }
    }
    return value;
  },
  provide: field => EditorView.decorations.from(field)
});

export class SideText extends MarkdownText {
  constructor(
    services: IEditorServices,
    label: string,
    private readonly _side: Side,
    extensions: readonly Extension[] = []
  ) {
    super({ services, label, text: '', readOnly: true, extensions: [tinted, ...extensions] });
    this.addClass('jp-kb-side-text');
  }

  showText(text: string, tints: Tints): void {
    this.replace(text);
    this.view.dispatch({ effects: setTints.of({ side: this._side, tints }) });
  }

  /** Bring a line, from 0, into sight. */
  reveal(line: number): void {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.min(doc.lines, line + 1));
    this.view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  }
}
