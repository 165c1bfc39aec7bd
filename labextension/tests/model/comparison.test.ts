import { describe, expect, it } from 'vitest';

import { comparedLines } from '../../src/model/comparison';

const compared = (mine: string, theirs: string): string[] =>
  comparedLines(mine, theirs, 1).map(line => `${line.side} ${line.text}`);

describe('the comparison of two texts', () => {
  it('names what is here alone and what is on disk alone', () => {
    expect(compared('a\nmine\nb', 'a\ntheirs\nb')).toEqual([
      'both a',
      'mine mine',
      'theirs theirs',
      'both b'
    ]);
  });

  it('leaves out equal lines that are far from a difference', () => {
    expect(compared('1\n2\n3\n4\nx\n5\n6\n7', '1\n2\n3\n4\n5\n6\n7')).toEqual([
      'skip 3',
      'both 4',
      'mine x',
      'both 5',
      'skip 2'
    ]);
  });

  it('of equal texts shows no difference', () => {
    expect(compared('a\nb', 'a\nb')).toEqual(['skip 2']);
  });
});
