// The words that were searched for, marked for two seconds where a note opens.
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

const SECONDS = 2;
const CLASS = 'jp-kb-flash';
/** Characters from the section's start in which words are looked for. */
const REACH = 20_000;

const setMarks = StateEffect.define<DecorationSet>();
const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) {
        return effect.value;
      }
    }
    return marks.map(transaction.changes);
  },
  provide: self => EditorView.decorations.from(self)
});

/** Mark words in an editor from a position on. */
export function flashWords(view: EditorView, from: number, words: readonly string[]): void {
  const pattern = patternOf(words);
  if (!pattern) {
    return;
  }
  const text = view.state.doc.sliceString(from, from + REACH);
  const mark = Decoration.mark({ class: CLASS });
  const ranges = Array.from(text.matchAll(pattern), found =>
    mark.range(from + found.index, from + found.index + found[0].length)
  );
  const effects: StateEffect<unknown>[] = [setMarks.of(Decoration.set(ranges, true))];
  if (view.state.field(field, false) === undefined) {
    effects.unshift(StateEffect.appendConfig.of(field));
  }
  view.dispatch({ effects });
  setTimeout(() => {
    if (view.dom.isConnected) {
      view.dispatch({ effects: setMarks.of(Decoration.none) });
    }
  }, SECONDS * 1000);
}

/** Mark words in rendered text after a heading, without touching its elements. */
export function flashInElement(root: HTMLElement, after: HTMLElement | null, words: readonly string[]): void {
  const pattern = patternOf(words);
  const registry = (globalThis.CSS as { highlights?: Map<string, unknown> } | undefined)?.highlights;
  if (!pattern || !registry || typeof Highlight === 'undefined') {
    return;
  }
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 200; node = walker.nextNode()) {
    if (
      after &&
      !(after.contains(node) || after.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)
    ) {
      continue;
    }
    for (const found of (node.textContent ?? '').matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      ranges.push(range);
    }
  }
  registry.set(CLASS, new Highlight(...ranges));
  setTimeout(() => registry.delete(CLASS), SECONDS * 1000);
}

function patternOf(words: readonly string[]): RegExp | null {
  const wanted = [...new Set(words.filter(word => word.trim()))].sort((a, b) => b.length - a.length);
  const escaped = wanted.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return escaped.length ? new RegExp(escaped.join('|'), 'giu') : null;
}
