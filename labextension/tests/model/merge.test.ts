import { diff3Merge } from 'node-diff3';
import { describe, expect, it } from 'vitest';

import { type Conflict, Merge, changedWords, originsOf, partsOf, tintsOf } from '../../src/model/merge';
import { pick, random } from '../random';

const WORDS = ['a', 'b', 'c', '', '- x', '# h', '\udcff'];

/** Three texts, two of them made from the first by deleting, changing and inserting lines. */
function versions(seed: number): { mine: string; base: string; theirs: string } {
  const next = random(seed);
  const base = Array.from({ length: 1 + Math.floor(next() * 12) }, () => pick(next, WORDS));
  const edited = (side: string): string =>
    base
      .flatMap(line => {
        const dice = next();
        return dice < 0.1
          ? []
          : dice < 0.2
            ? [`${line} ${side}`]
            : dice < 0.3
              ? [line, `new ${side}`]
              : [line];
      })
      .join('\n');
  return { mine: edited('m'), base: base.join('\n'), theirs: edited('t') };
}

function each(check: (texts: ReturnType<typeof versions>) => void): void {
  for (let seed = 0; seed < 800; seed += 1) {
    check(versions(seed));
  }
}

describe('a merge', () => {
  it('gives theirs where nothing was changed here, and mine where nothing was changed there', () => {
    each(({ mine, base, theirs }) => {
      const left = new Merge(base, base, theirs);
      expect([left.left, left.text]).toEqual([0, theirs]);
      const right = new Merge(mine, base, base);
      expect([right.left, right.text]).toEqual([0, mine]);
    });
  });

  it('agrees with diff3 where there is no conflict', () => {
    each(({ mine, base, theirs }) => {
      const regions = diff3Merge(mine.split('\n'), base.split('\n'), theirs.split('\n'), {
        excludeFalseConflicts: true
      });
      const parts = partsOf(mine, base, theirs).parts;
      expect(parts.flatMap(part => (part.kind === 'merged' ? part.lines : ['?']))).toEqual(
        regions.flatMap(region => region.ok ?? ['?'])
      );
    });
  });

  it('takes mine in every conflict when asked for all of mine, and loses no line with both', () => {
    each(({ mine, base, theirs }) => {
      const merge = new Merge(mine, base, theirs);
      merge.chooseAll('mine');
      expect(merge.left).toBe(0);
      for (const index of merge.conflicts) {
        const { part, text } = merge.pieces[index] as { part: Conflict; text: string };
        expect(text).toBe(part.mine.map(line => `${line}\n`).join(''));
        merge.choose(index, 'both');
      }
      const lines = new Set(merge.text.split('\n'));
      for (const line of [...mine.split('\n'), ...theirs.split('\n')]) {
        // a line of one side is left out only where the other side, alone, deleted or changed it
        expect(lines.has(line) || base.split('\n').includes(line)).toBe(true);
      }
    });
  });

  it('counts the changes of one side', () => {
    const merge = new Merge('A\nb\nc\nd\nnew\ne', 'a\nb\nc\nd\ne', 'a\nb\nc\nd\ne'.replace('c\n', ''));
    expect([merge.taken, merge.left, merge.text]).toEqual([3, 0, 'A\nb\nd\nnew\ne']);
  });

  it('holds an empty line in the place of what is not decided, until something stands there', () => {
    const merge = new Merge('x\nmine', 'x\nbase', 'x\ntheirs');
    expect([merge.text, merge.left]).toEqual(['x\n', 1]);
    const [at = -1] = merge.conflicts;
    merge.type(at, '  \n');
    expect(merge.left).toBe(1);
    merge.type(at, 'own words\n');
    expect([merge.text, merge.left, merge.pieces[at]?.choice]).toEqual(['x\nown words', 0, 'typed']);
    merge.choose(at, 'both');
    expect(originsOf(merge.pieces[at] as never)).toEqual(['mine', 'theirs']);
    merge.type(at, 'theirs\n');
    expect(merge.pieces[at]?.choice).toBe('theirs');
    merge.type(at, '');
    expect([merge.pieces[at]?.choice, merge.left]).toEqual(['typed', 0]);
  });

  it('keeps the decisions that still apply, and what was typed, when theirs changes again', () => {
    const base = 'one\n\ntwo\n\nthree\n\nfour';
    const merge = new Merge('ONE\n\ntwo\n\nTHREE\n\nfour', base, '1\n\ntwo\n\n3\n\nfour');
    const [first = -1, second = -1] = merge.conflicts;
    merge.choose(first, 'both');
    merge.choose(second, 'theirs');
    merge.type(first + 1, merge.pieces[first + 1]?.text.replace('two', 'two, typed') ?? '');
    merge.reload('1\n\ntwo\n\n33\n\nfour\nfive');
    expect(merge.text).toBe('ONE\n1\n\ntwo, typed\n\n\n\nfour\nfive');
    expect(merge.left).toBe(1);
  });

  it('puts what was typed into mine where its place is gone', () => {
    const merge = new Merge('one\ntwo\nthree', 'one\ntwo\nthree\nx', 'one\ntwo\nthree\nx');
    merge.type(0, 'one\ntyped\nthree\n');
    merge.reload('one\n2\nthree\nx');
    const [at = -1] = merge.conflicts;
    expect(merge.pieces[at]?.part).toMatchObject({ mine: ['typed'], theirs: ['2'] });
  });
});

describe('marks', () => {
  it('are on the words that differ, and on none in lines that have little in common', () => {
    const marks = changedWords(
      'the entropy stays above 3.1 for 2k steps',
      'the entropy stays above 2.9 for 1k steps'
    );
    expect(marks).toEqual({ mine: [[24, 27], [32, 34]], theirs: [[24, 27], [32, 34]] }); // prettier-ignore
    expect(changedWords('entropy falls', 'gradients vanish')).toEqual({ mine: [], theirs: [] });
  });

  it('tint the lines that each side changed', () => {
    const tints = tintsOf('a\nB\nc', 'a\nb\nc', 'a\nb\nC\nd');
    expect([[...tints.mine.lines], [...tints.theirs.lines]]).toEqual([[1], [2, 3]]);
  });
});
