// The pane beside a list of suggestions: a note's title and place, its first lines, its tags, who links to it.
import type { LinkPreviews } from '../model/linkPreview';
import type { IKnowledgeBase } from '../tokens';
import { languageOf } from '../ui/text';
import { linkedFrom, placeOf } from './previewText';

const MOST_TAGS = 4;

/** Null where the note cannot be read. */
export async function previewPane(
  kb: IKnowledgeBase,
  previews: LinkPreviews,
  file: string,
  headingPath: string | null
): Promise<HTMLElement | null> {
  const { trans } = kb;
  let preview;
  try {
    preview = await previews.get(file, headingPath);
  } catch {
    return null;
  }
  const pane = document.createElement('div');
  pane.className = 'jp-kb-completion-pane';
  pane.append(
    text('h3', preview.title),
    text('p', placeOf(preview), 'jp-kb-tiny jp-kb-dim'),
    html(preview.html),
    tags(preview.tags),
    text('p', sentence(linkedFrom(preview, trans)), 'jp-kb-tiny jp-kb-dim')
  );
  return pane;
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function text(tag: string, value: string, className = ''): HTMLElement {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = value;
  const language = languageOf(value);
  if (language) {
    node.lang = language;
  }
  return node;
}

/** The server's HTML is safe to show; its links are left dead, for the list has the focus. */
function html(source: string): HTMLElement {
  const node = document.createElement('div');
  node.className = 'jp-kb-completion-text';
  node.innerHTML = source;
  return node;
}

function tags(names: readonly string[]): HTMLElement {
  const node = document.createElement('div');
  node.className = 'jp-kb-completion-tags';
  for (const name of names.slice(0, MOST_TAGS)) {
    const chip = text('span', `#${name}`, 'jp-kb-chip');
    node.append(chip);
  }
  return node;
}
