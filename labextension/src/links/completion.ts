// The list under a wikilink that is being typed, with the first lines of what is chosen beside it.
import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSection,
  pickedCompletion,
  startCompletion
} from '@codemirror/autocomplete';
import { type Extension, Prec } from '@codemirror/state';
import { type EditorView, keymap, type Rect, ViewPlugin } from '@codemirror/view';
import { addIcon } from '@jupyterlab/ui-components';

import type { LinkPreviews } from '../model/linkPreview';
import { type Suggestion, suggest } from '../model/completion';
import { insertion } from '../model/linkTargets';
import type { LinkResolver } from '../model/resolver';
import type { IKnowledgeBase } from '../tokens';
import { headingIcon, noteIcon } from '../ui/icons';
import { languageOf } from '../ui/text';
import { typedLink } from './editor';
import { previewPane } from './previewPane';
import type { Sources } from './sources';

/** Milliseconds after a key. */
const DELAY = 80;
/** Under this width of the editor only the list is shown. */
const NARROW = 640;
const LIST = 344;
const PANE = 240;

export interface CompletionServices {
  kb: IKnowledgeBase;
  resolver: LinkResolver;
  previews: LinkPreviews;
  sources: Sources;
  /** Make a note that a link was just put in for; null where that cannot be done. */
  create: ((name: string, editor: EditorView) => void) | null;
}

interface Row extends Completion {
  suggestion: Suggestion;
}

export function wikilinkCompletion(services: CompletionServices): Extension {
  const sections = sectionsOf(services.kb);
  const source = (context: CompletionContext): Promise<CompletionResult | null> =>
    completions(context, services, sections);
  return [
    autocompletion({
      override: [source],
      activateOnTypingDelay: DELAY,
      interactionDelay: 0,
      icons: false,
      closeOnBlur: true,
      tooltipClass: () => 'jp-kb jp-kb-completion',
      optionClass: row => `jp-kb-completion-row jp-kb-mod-${(row as Row).suggestion.kind}`,
      addToOptions: [
        { position: 20, render: row => iconOf(row as Row) },
        { position: 80, render: row => detailOf(row as Row) }
      ],
      positionInfo: (view, list, _option, info, space) => placePane(view, list, info, space)
    }),
    // JupyterLab has keys of its own for Tab and Escape; those of an open list come first
    Prec.highest(
      keymap.of([
        { key: 'Tab', run: acceptCompletion },
        { key: 'Escape', run: closeCompletion }
      ])
    ),
    foot(services.kb),
    ViewPlugin.define(view => {
      // the list is fetched when the first link is typed: what was typed meanwhile counts
      queueMicrotask(() => startCompletion(view));
      return {};
    })
  ];
}

async function completions(
  context: CompletionContext,
  services: CompletionServices,
  sections: Record<Suggestion['kind'], CompletionSection>
): Promise<CompletionResult | null> {
  const { kb, resolver, previews, sources } = services;
  const link = typedLink(context.state, context.pos);
  if (!link || !context.view || kb.state !== 'ready') {
    return null;
  }
  const abort = new AbortController();
  context.addEventListener('abort', () => abort.abort(), { onDocChange: true });
  let found: Suggestion[];
  try {
    found = await suggest(kb.client, resolver, link, sources.fileOf(context.view.dom), abort.signal);
  } catch {
    return null; // a list that cannot be had is no reason to disturb who is writing
  }
  const rows = services.create ? found : found.filter(one => one.kind !== 'create');
  if (context.aborted || !rows.length) {
    return null;
  }
  const options = rows.map((suggestion): Row => ({
    suggestion,
    label: suggestion.text,
    ...(suggestion.kind === 'create'
      ? { displayLabel: kb.trans.__('Create note “%1”', suggestion.text) }
      : { info: () => previewPane(kb, previews, suggestion.file, suggestion.headingPath) }),
    section: sections[suggestion.kind],
    apply: (view, row) => apply(view, row as Row, services)
  }));
  return { from: link.from, options, filter: false, getMatch: row => (row as Row).suggestion.marks.flat() };
}

function apply(view: EditorView, row: Row, services: CompletionServices): void {
  const { kind, target } = row.suggestion;
  const link = typedLink(view.state, view.state.selection.main.head);
  if (!link) {
    return;
  }
  const edit = insertion(link, target);
  view.dispatch({
    changes: { from: edit.from, to: edit.to, insert: edit.insert },
    selection: { anchor: edit.cursor },
    annotations: pickedCompletion.of(row),
    userEvent: 'input.complete',
    scrollIntoView: true
  });
  if (kind === 'create') {
    services.create?.(row.suggestion.text, view);
  }
}

function sectionsOf(kb: IKnowledgeBase): Record<Suggestion['kind'], CompletionSection> {
  const named = (name: string, rank: number): CompletionSection => ({
    name,
    rank,
    header: section => {
      const header = document.createElement('li');
      header.className = 'jp-kb-completion-group';
      header.textContent = section.name;
      header.setAttribute('role', 'presentation');
      return header;
    }
  });
  const line: CompletionSection = {
    name: 'create',
    rank: 3,
    header: () => {
      const header = document.createElement('li');
      header.className = 'jp-kb-completion-line';
      header.setAttribute('role', 'presentation');
      return header;
    }
  };
  return { note: named(kb.trans.__('Notes'), 1), heading: named(kb.trans.__('Headings'), 2), create: line };
}

function iconOf(row: Row): Node {
  const icon = { note: noteIcon, heading: headingIcon, create: addIcon }[row.suggestion.kind];
  return icon.element({ tag: 'span', className: 'jp-kb-icon' });
}

function detailOf(row: Row): Node {
  const { detail } = row.suggestion;
  const node = document.createElement('span');
  node.className = 'jp-kb-completion-detail';
  node.textContent = detail;
  node.title = detail;
  const language = languageOf(detail);
  if (language) {
    node.lang = language;
  }
  return node;
}

/** Beside the list where there is room, as high as the list; left out in a narrow editor. */
function placePane(
  view: EditorView,
  list: Rect,
  info: Rect,
  space: Rect
): { style?: string; class?: string } {
  if (view.dom.getBoundingClientRect().width < NARROW) {
    return { class: 'jp-kb-mod-hidden' };
  }
  void info;
  const right = list.right + PANE <= space.right;
  return {
    class: right ? 'jp-kb-mod-right' : 'jp-kb-mod-left',
    style: `top: -1px; ${right ? 'left' : 'right'}: ${LIST}px; width: ${PANE}px; height: ${list.bottom - list.top}px`
  };
}

/** Which keys do what, at the foot of the list. */
function foot(kb: IKnowledgeBase): Extension {
  const { trans } = kb;
  const hints: [string, string][] = [
    ['Enter', trans.__('insert')],
    ['#', trans.__('headings')],
    ['|', trans.__('label')],
    ['Esc', '']
  ];
  const make = (): HTMLElement => {
    const node = document.createElement('div');
    node.className = 'jp-kb-completion-foot';
    node.setAttribute('aria-hidden', 'true');
    for (const [key, text] of hints) {
      const hint = document.createElement('span');
      hint.className = 'jp-kb-hint';
      const name = document.createElement('kbd');
      name.textContent = key;
      hint.append(name, text);
      node.append(hint);
    }
    return node;
  };
  return ViewPlugin.define(view => {
    const add = {
      read: () => document.querySelector<HTMLElement>('.jp-kb-completion.cm-tooltip-autocomplete'),
      write: (list: HTMLElement | null) => {
        if (list && kb.settings.hints && !list.querySelector('.jp-kb-completion-foot')) {
          list.append(make());
        }
      }
    };
    return { update: () => view.requestMeasure(add) };
  });
}
