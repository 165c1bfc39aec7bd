// Editors know line feeds only; this keeps the line ends that a section had, to the byte. No DOM.
import { diffIndices } from 'node-diff3';

const ENDS = /\r\n?|\n/g;

/** A text as an editor holds it. */
export function toEditor(source: string): string {
  return source.replace(ENDS, '\n');
}

/** The line end that a text has most of, or null where it has none. */
export function lineEndOf(source: string): string | null {
  const counts = new Map<string, number>();
  for (const [end] of source.matchAll(ENDS)) {
    counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/**
 * An edited text with the line ends of the one it was made from: lines that are the same keep theirs, others get the one
 * that `original` has most of, `fallback` where it has none.
 */
export function fromEditor(edited: string, original: string, fallback = '\n'): string {
  const end = lineEndOf(original) ?? fallback;
  const before = split(original);
  const ends = new Set(before.map(line => line.end).filter(Boolean));
  const after = edited.split('\n');
  if (ends.size < 2) {
    return after.join(end);
  }
  const kept = aligned(
    before.map(line => line.text),
    after
  );
  return after
    .map((text, index) => {
      const same = kept.get(index);
      const own = same === undefined ? end : before[same]?.end || end;
      return index < after.length - 1 ? text + own : text;
    })
    .join('');
}

function split(source: string): { text: string; end: string }[] {
  const lines: { text: string; end: string }[] = [];
  let at = 0;
  for (const found of source.matchAll(ENDS)) {
    lines.push({ text: source.slice(at, found.index), end: found[0] });
    at = found.index + found[0].length;
  }
  lines.push({ text: source.slice(at), end: '' });
  return lines;
}

/** For each line of `after` that is one of `before`: which one. A line that was changed in place counts as that line. */
function aligned(before: readonly string[], after: readonly string[]): Map<number, number> {
  const kept = new Map<number, number>();
  let oldAt = 0;
  let newAt = 0;
  const take = (count: number): void => {
    for (const until = oldAt + count; oldAt < until; oldAt += 1, newAt += 1) {
      kept.set(newAt, oldAt);
    }
  };
  // equal lines at both ends first: among equal lines in the middle one cannot tell which is which
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) {
    tail += 1;
  }
  take(head);
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  for (const { buffer1, buffer2 } of diffIndices(old, now)) {
    take(head + buffer1[0] - oldAt);
    take(buffer1[1] === buffer2[1] ? buffer1[1] : 0);
    oldAt = head + buffer1[0] + buffer1[1];
    newAt = head + buffer2[0] + buffer2[1];
  }
  take(before.length - oldAt);
  return kept;
}
