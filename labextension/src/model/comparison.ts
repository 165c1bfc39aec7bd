// Two texts line by line: what both have, what is here alone, what is on disk alone. No DOM.
import { diffIndices } from 'node-diff3';

export interface ComparedLine {
  /** `skip`: so many equal lines are left out (`text` is their number). */
  side: 'both' | 'mine' | 'theirs' | 'skip';
  text: string;
}

/** The lines of both texts in order, with at most `around` equal ones before and after each difference. */
export function comparedLines(mine: string, theirs: string, around = 2): ComparedLine[] {
  const left = mine.split('\n');
  const right = theirs.split('\n');
  const found: ComparedLine[] = [];
  let place = 0;
  const both = (until: number, first: boolean, last: boolean): void => {
    const head = first ? 0 : around;
    const tail = last ? 0 : around;
    const equal = left.slice(place, until);
    const skipped = equal.length - head - tail;
    const add = (lines: string[]): void => lines.forEach(text => found.push({ side: 'both', text }));
    if (skipped > 1) {
      add(equal.slice(0, head));
      found.push({ side: 'skip', text: String(skipped) });
      add(equal.slice(equal.length - tail));
    } else {
      add(equal);
    }
  };
  for (const { buffer1, buffer1Content, buffer2Content } of diffIndices(left, right)) {
    both(buffer1[0], place === 0, false);
    buffer1Content.forEach(text => found.push({ side: 'mine', text }));
    buffer2Content.forEach(text => found.push({ side: 'theirs', text }));
    place = buffer1[0] + buffer1[1];
  }
  both(left.length, place === 0, true);
  return found;
}
