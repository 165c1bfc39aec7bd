// Wikilinks in the text of Markdown editors: shown as links, followed with Accel+click, completed while they are typed.
import { syntaxTree } from '@codemirror/language';
import { Compartment, type EditorState, type Extension, type Range } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import type { IEditorExtensionFactory } from '@jupyterlab/codemirror';

import { linksIn, openLink, type OpenLink } from '../model/linkTargets';

const MARKDOWN = new Set(['text/markdown', 'text/x-ipythongfm', 'text/x-gfm', 'text/x-markdown']);
const NO_LINKS = /Code|Math|Comment|HTMLBlock/;

export interface EditorLinks {
  follow: (link: HTMLElement, beside: boolean) => void;
  /** The completion, fetched when a link is first typed. */
  completion: () => Promise<Extension>;
}

/** The extension of all of JupyterLab's editors; it does something in those of Markdown only. */
export function editorLinks(links: EditorLinks): IEditorExtensionFactory {
  return Object.freeze({
    name: 'jupyter-kb:wikilinks',
    factory: ({ model }: IEditorExtensionFactory.IOptions) => ({
      instance: () => forModel(model, links),
      reconfigure: () => null
    })
  });
}

/** Also for an editor of our own, whose text is Markdown throughout. */
export function markdownLinks(links: EditorLinks): Extension {
  return [shown, clicks(links), completed(links)];
}

function forModel(model: CodeEditor.IModel, links: EditorLinks): Extension {
  const compartment = new Compartment();
  const wanted = (): Extension => (MARKDOWN.has(model.mimeType) ? markdownLinks(links) : []);
  // the kind of text is known only after the editor is made, and may change
  const follow = ViewPlugin.define(view => {
    const change = (): void => view.dispatch({ effects: compartment.reconfigure(wanted()) });
    model.mimeTypeChanged.connect(change);
    return { destroy: () => model.mimeTypeChanged.disconnect(change) };
  });
  return [compartment.of(wanted()), follow];
}

/** Whether a position is in code, a formula or a comment. */
export function isLiteral(state: EditorState, position: number): boolean {
  for (let node = syntaxTree(state).resolveInner(position, -1); ;) {
    if (NO_LINKS.test(node.name)) {
      return true;
    }
    if (!node.parent) {
      return false;
    }
    node = node.parent;
  }
}

/** The link that is being typed at the cursor, its places counted in the document. */
export function typedLink(state: EditorState, position: number): OpenLink | null {
  const line = state.doc.lineAt(position);
  const link = openLink(line.text, position - line.from);
  return link && !isLiteral(state, line.from + link.from - 1)
    ? { ...link, from: line.from + link.from, to: line.from + link.to }
    : null;
}

const shown = ViewPlugin.fromClass(
  class {
    links: DecorationSet;
    constructor(view: EditorView) {
      this.links = decorated(view);
    }
    update(update: ViewUpdate): void {
      if (
        update.docChanged ||
        update.selectionSet ||
        update.viewportChanged ||
        syntaxTree(update.state) !== syntaxTree(update.startState)
      ) {
        this.links = decorated(update.view);
      }
    }
  },
  { decorations: plugin => plugin.links }
);

function decorated(view: EditorView): DecorationSet {
  const { state } = view;
  const { head } = state.selection.main;
  const ranges: Range<Decoration>[] = [];
  const mark = (from: number, to: number, attributes: Record<string, string>): void => {
    ranges.push(Decoration.mark({ class: 'jp-kb-wikilink', attributes }).range(from, to));
  };
  for (const { from, to } of view.visibleRanges) {
    const start = state.doc.lineAt(from).from;
    const text = state.doc.sliceString(start, state.doc.lineAt(to).to);
    for (const link of linksIn(text)) {
      if (!isLiteral(state, start + link.from + 1)) {
        mark(start + link.from, start + link.to, { 'data-kb-target': link.target.trim() });
      }
    }
  }
  const typed = typedLink(state, head);
  if (typed && !typed.closed) {
    mark(typed.from - 2, head, {}); // leads nowhere yet
  }
  return Decoration.set(ranges, true);
}

function clicks(links: EditorLinks): Extension {
  return EditorView.domEventHandlers({
    mousedown: event => {
      const target = event.target instanceof Element ? event.target : null;
      const link = target?.closest<HTMLElement>('.jp-kb-wikilink');
      if (!link || event.button !== 0 || !(event.ctrlKey || event.metaKey)) {
        return false;
      }
      event.preventDefault(); // no second cursor
      links.follow(link, event.shiftKey);
      return true;
    }
  });
}

function completed(links: EditorLinks): Extension {
  const compartment = new Compartment();
  let asked = false;
  const load = EditorView.updateListener.of(update => {
    if (asked || !update.docChanged || !typedLink(update.state, update.state.selection.main.head)) {
      return;
    }
    asked = true;
    links.completion().then(
      extension => update.view.dispatch({ effects: compartment.reconfigure(extension) }),
      () => (asked = false) // the next link tries again
    );
  });
  return [compartment.of([]), load];
}

/** The element of the link at the cursor, or null. */
export function linkAtCursor(view: EditorView): HTMLElement | null {
  const { head } = view.state.selection.main;
  const { node } = view.domAtPos(head);
  const element = node instanceof Element ? node : node.parentElement;
  const near = element?.closest('.cm-line')?.querySelectorAll<HTMLElement>('.jp-kb-wikilink') ?? [];
  return Array.from(near).find(link => view.posAtDOM(link, 0) <= head && head <= endOf(view, link)) ?? null;
}

function endOf(view: EditorView, link: HTMLElement): number {
  return view.posAtDOM(link, link.childNodes.length);
}
