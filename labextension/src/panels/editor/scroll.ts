// Two views of one text that scroll together, block by block.
import { ensureSyntaxTree } from '@codemirror/language';
import type { EditorView } from '@codemirror/view';

/** Where the same place is in both views, in pixels from their tops, ascending. */
export type Points = readonly (readonly [number, number])[];

/** The place in the one view for a place in the other: between two points in proportion. */
export function across(points: Points, at: number, from: 0 | 1): number {
  const to = from === 0 ? 1 : 0;
  let before = points[0] ?? [0, 0];
  for (const point of points) {
    if (point[from] > at) {
      const part = (at - before[from]) / (point[from] - before[from] || 1);
      return before[to] + Math.max(0, part) * (point[to] - before[to]);
    }
    before = point;
  }
  return before[to] + Math.max(0, at - before[from]);
}

const UNSEEN = /^(?:LinkReference|CommentBlock|ProcessingInstructionBlock)$/;
/** Milliseconds that the parser may take at most. */
const PATIENCE = 20;

/** Where the blocks of the text are in the editor and in the rendered text, in which `rendered` are its elements. */
export function pointsOf(view: EditorView, rendered: readonly HTMLElement[], skipped = 0): Points {
  const points: [number, number][] = [[0, 0]];
  const tree = ensureSyntaxTree(view.state, view.state.doc.length, PATIENCE);
  const starts: { from: number; heading: boolean }[] = [];
  for (let node = tree?.topNode.firstChild ?? null; node; node = node.nextSibling) {
    if (node.from >= skipped && !UNSEEN.test(node.name)) {
      starts.push({ from: node.from, heading: /Heading/.test(node.name) });
    }
  }
  const even = starts.length === rendered.length;
  const headings = rendered.filter(element => /^H[1-6]$/.test(element.tagName));
  const blocks = even ? starts : starts.filter(start => start.heading); // headings at least
  (even ? rendered : headings).forEach((element, index) => {
    const start = blocks[index];
    if (start) {
      points.push([view.lineBlockAt(start.from).top, element.offsetTop]);
    }
  });
  points.push([view.contentHeight, points.at(-1)?.[1] ?? 0]);
  const last = rendered.at(-1);
  if (last) {
    points[points.length - 1] = [view.contentHeight, last.offsetTop + last.offsetHeight];
  }
  return points.filter((point, index) => {
    const before = points[index - 1];
    return !before || (point[0] >= before[0] && point[1] >= before[1]);
  });
}

/** Let two elements scroll together. Whichever the pointer, wheel or focus is in leads. Gives a function that ends it. */
export function link(left: HTMLElement, right: HTMLElement, points: () => Points): () => void {
  let leader: HTMLElement | null = null;
  const lead = (event: Event): void => {
    leader = event.currentTarget as HTMLElement;
  };
  const follow = (event: Event): void => {
    const from = event.currentTarget as HTMLElement;
    if (from === leader) {
      const [to, side] = from === left ? ([right, 0] as const) : ([left, 1] as const);
      to.scrollTop = across(points(), from.scrollTop, side);
    }
  };
  const leading = ['pointerenter', 'wheel', 'focusin', 'keydown', 'touchstart'];
  for (const side of [left, right]) {
    leading.forEach(type => side.addEventListener(type, lead, { passive: true }));
    side.addEventListener('scroll', follow, { passive: true });
  }
  return () => {
    for (const side of [left, right]) {
      leading.forEach(type => side.removeEventListener(type, lead));
      side.removeEventListener('scroll', follow);
    }
  };
}
