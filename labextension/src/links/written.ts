// Wikilinks on their way through a Markdown parser that does not know them: hidden before it, links after it.
import { linksIn, shownText, type WrittenLink } from '../model/linkTargets';

// two characters of the private use area, which no parser touches, around the number of a link
const OPEN = '\ue000';
const CLOSE = '\ue001';
const MARK = /\ue000(\d+)\ue001/g;
/** A line that begins or ends fenced code, which stays as it is: what is in brackets there may be highlighted or drawn. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/gm;
/** In these a wikilink is text. */
const NO_LINKS = 'a, button, code, math, pre, script, style, svg, textarea';

export const LINK_CLASS = 'kb-link';
/** The destination of a link that waits for what it means: this, and its number. */
export const WAITING = '#kb-link-';

export interface Link extends WrittenLink {
  /** As it stands in the text. */
  source: string;
}

export interface Hidden {
  markdown: string;
  links: Link[];
}

/** Markdown whose wikilinks are marks of one kind; `count` is how many there were before it in the same rendering. */
export function hide(markdown: string, count = 0): Hidden {
  const links: Link[] = [];
  const hideIn = (text: string): string => {
    let shown = '';
    let at = 0;
    for (const link of linksIn(text)) {
      shown += `${text.slice(at, link.from)}${OPEN}${count + links.length}${CLOSE}`;
      links.push({ ...link, source: text.slice(link.from, link.to) });
      at = link.to;
    }
    return shown + text.slice(at);
  };
  let shown = '';
  let at = 0;
  for (const [from, to] of fencesOf(markdown)) {
    shown += hideIn(markdown.slice(at, from)) + markdown.slice(from, to);
    at = to;
  }
  return { markdown: shown + hideIn(markdown.slice(at)), links };
}

/** Where fenced code begins and ends; one that is never closed goes on to the end. In one pass, however the text looks. */
function fencesOf(markdown: string): [number, number][] {
  const found: [number, number][] = [];
  let open: { from: number; fence: string } | null = null;
  for (const line of markdown.matchAll(FENCE)) {
    const [whole, fence = '', rest = ''] = line;
    if (!open) {
      open = fence.startsWith('`') && rest.includes('`') ? null : { from: line.index, fence }; // else a code span
    } else if (fence.startsWith(open.fence) && !rest.trim()) {
      found.push([open.from, line.index + whole.length]);
      open = null;
    }
  }
  return open ? [...found, [open.from, markdown.length]] : found;
}

/** HTML in which the marks have become links; where none may stand (code, other links) the text as it was. */
export function reveal(html: string, links: readonly Link[]): string {
  if (!html.includes(OPEN)) {
    return html;
  }
  const template = document.createElement('template');
  template.innerHTML = html; // inert: nothing in it runs or loads, and what comes out is sanitised like any other HTML
  const asWritten = (text: string): string =>
    text.replace(MARK, (mark, index: string) => links[Number(index)]?.source ?? mark);
  const walker = document.createTreeWalker(template.content, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text) {
      if (node.data.includes(OPEN)) {
        texts.push(node);
      }
    } else if (node instanceof Element) {
      for (const { name, value } of Array.from(node.attributes)) {
        if (value.includes(OPEN)) {
          node.setAttribute(name, asWritten(value));
        }
      }
    }
  }
  for (const text of texts) {
    if (text.parentElement?.closest(NO_LINKS)) {
      text.data = text.parentElement.closest('a') ? labels(text.data, links) : asWritten(text.data);
    } else {
      text.replaceWith(...withLinks(text.data, links));
    }
  }
  return template.innerHTML;
}

function withLinks(text: string, links: readonly Link[]): (string | Element)[] {
  const parts: (string | Element)[] = [];
  let at = 0;
  for (const found of text.matchAll(MARK)) {
    const index = Number(found[1]);
    const link = links[index];
    if (link) {
      parts.push(text.slice(at, found.index), anchor(link, index));
      at = found.index + found[0].length;
    }
  }
  return [...parts, text.slice(at)];
}

function anchor(link: Link, index: number): Element {
  const element = document.createElement('a');
  element.className = LINK_CLASS;
  element.href = `${WAITING}${index}`;
  element.textContent = link.label ?? shownText(link.target);
  return element;
}

function labels(text: string, links: readonly Link[]): string {
  return text.replace(MARK, (mark, index: string) => {
    const link = links[Number(index)];
    return link ? (link.label ?? shownText(link.target)) : mark;
  });
}
