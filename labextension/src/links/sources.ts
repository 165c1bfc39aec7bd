// In which file of the vault a piece of the page stands, and the text behind it: links mean something in a place only.
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import { NotebookPanel } from '@jupyterlab/notebook';

import { linksIn } from '../model/linkTargets';
import type { IKnowledgeBase } from '../tokens';

/** The attribute of an element all of whose links stand in one file; its value is the path in the vault. */
export const IN = 'data-kb-in';

export class Sources {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _kb: IKnowledgeBase,
    private readonly _documents: IDocumentManager
  ) {}

  /** The path in the vault of the note (or other file) that shows an element; null where it is in none. */
  fileOf(element: Element): string | null {
    const marked = element.closest(`[${IN}]`)?.getAttribute(IN);
    if (marked !== null && marked !== undefined) {
      return marked || null;
    }
    const context = this._contextOf(element);
    return context ? this._kb.pathOf(context.path) : null;
  }

  /** The path in the vault of a document in Jupyter's contents, or null. */
  pathOf(contentsPath: string): string | null {
    return this._kb.pathOf(contentsPath);
  }

  /**
   * Let all links of a document (of a notebook: of one cell) that have one target have another. Whether there were any.
   */
  async relink(element: Element, from: string, to: string): Promise<boolean> {
    const context = this._contextOf(element);
    if (!context || element.closest(`[${IN}] [${IN}]`)) {
      return false; // the text of an embedded section stands in another note
    }
    const widget = this._widgetOf(element);
    if (widget instanceof NotebookPanel) {
      const cell = widget.content.widgets.find(one => one.node.contains(element));
      return cell ? replaceTargets(cell.model.sharedModel, from, to) : false;
    }
    const model = context.model as unknown as { sharedModel: Editable };
    const clean = !context.model.dirty;
    const changed = replaceTargets(model.sharedModel, from, to);
    if (changed && clean) {
      await context.save();
    }
    return changed;
  }

  private _widgetOf(element: Element) {
    for (const widget of this._app.shell.widgets('main')) {
      if (widget.node.contains(element)) {
        return widget;
      }
    }
    return null;
  }

  private _contextOf(element: Element) {
    const widget = this._widgetOf(element);
    return widget ? (this._documents.contextForWidget(widget) ?? null) : null;
  }
}

interface Editable {
  getSource(): unknown;
  updateSource(start: number, end: number, value?: string): void;
}

function replaceTargets(model: Editable, from: string, to: string): boolean {
  const text = String(model.getSource());
  const links = linksIn(text).filter(link => link.target.trim() === from.trim());
  for (const link of links.reverse()) {
    const start = link.from + (link.embed ? 3 : 2);
    model.updateSource(start, start + link.target.length, to);
  }
  return links.length > 0;
}
