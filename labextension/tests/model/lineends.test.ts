import { describe, expect, it } from 'vitest';

import { fromEditor, lineEndOf, toEditor } from '../../src/model/lineends';
import { random, pick } from '../random';

const LINES = ['# A', 'one', 'two', '', '  ', '- i', '\udc80 broken', '😀', 'a\u2028b'];

function drawn(next: () => number, ends: readonly string[]): string {
  const count = Math.floor(next() * 8);
  const text = Array.from({ length: count }, () => pick(next, LINES) + pick(next, ends)).join('');
  return text + pick(next, LINES);
}

describe('line ends', () => {
  it('come back as they were, whatever they are', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const next = random(seed);
      const source = drawn(next, pick(next, [['\n'], ['\r\n'], ['\r'], ['\n', '\r\n', '\r']]));
      expect(fromEditor(toEditor(source), source)).toBe(source);
    }
  });

  it('stay on all other lines when one line is changed', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const next = random(seed);
      const source = drawn(next, ['\n', '\r\n', '\r']);
      const lines = toEditor(source).split('\n');
      const at = Math.floor(next() * lines.length);
      const ends = [...source.matchAll(/\r\n?|\n/g)].map(found => found[0]);
      lines[at] += ' changed';
      const expected = lines.map((line, index) => line + (ends[index] ?? '')).join('');
      expect(fromEditor(lines.join('\n'), source)).toBe(expected);
    }
  });

  it('are those of the rest of the text for new lines', () => {
    expect(fromEditor('a\nnew\nb', 'a\r\nb')).toBe('a\r\nnew\r\nb');
    expect(fromEditor('## A\n\nnew', '## A', '\r\n')).toBe('## A\r\n\r\nnew');
    expect(lineEndOf('a\r\nb\r\nc\n')).toBe('\r\n');
    expect(lineEndOf('a')).toBeNull();
  });
});
