import { describe, expect, it } from 'vitest';

import { insertion, linkAt, linksIn, openLink, shownText } from '../../src/model/linkTargets';

/** A line in which `‸` is the cursor. */
function typed(text: string): ReturnType<typeof openLink> {
  const column = text.indexOf('‸');
  return openLink(text.replace('‸', ''), column);
}

describe('the wikilinks of a text', () => {
  it('have a target, perhaps a label, and may embed', () => {
    expect(linksIn('a [[x]] b ![[y#Z|two words]]')).toEqual([
      { from: 2, to: 7, embed: false, target: 'x', label: null },
      { from: 10, to: 28, embed: true, target: 'y#Z', label: 'two words' }
    ]);
  });

  it('hide their pipe in a table', () => {
    expect(linksIn('| [[run-12\\|run 12]] |')).toMatchObject([{ target: 'run-12', label: 'run 12' }]);
  });

  it('may have brackets in their label', () => {
    expect(linksIn('[[x|see [2]]]')).toMatchObject([{ target: 'x', label: 'see [2]', to: 13 }]);
  });

  it('are not what people cite with, nor empty, nor broken over lines', () => {
    expect(linksIn('[[2]](https://example.org) [[ ]] [[]] [[a\nb]]')).toEqual([]);
    expect(linksIn('[[Note]](aside)')).toHaveLength(1);
  });

  it('are found by a column, their brackets included', () => {
    expect(linkAt('see [[x]].', 4)?.target).toBe('x');
    expect(linkAt('see [[x]].', 9)?.target).toBe('x');
    expect(linkAt('see [[x]].', 3)).toBeNull();
  });

  it('show their target in words where they have no label', () => {
    expect(shownText('Note#A#B')).toBe('Note > A > B');
    expect(shownText('#A')).toBe('A');
  });
});

describe('the link that is being typed', () => {
  it('begins with its brackets', () => {
    expect(typed('see [[‸')).toEqual({ from: 6, to: 6, closed: false, note: '', heading: null });
    expect(typed('see [‸[')).toBeNull();
    expect(typed('see ‸')).toBeNull();
  });

  it('is a note up to the hash and a heading behind it', () => {
    expect(typed('[[scaling la‸')).toMatchObject({ note: 'scaling la', heading: null });
    expect(typed('[[kestrel#gai‸')).toMatchObject({ note: 'kestrel', heading: 'gai' });
    expect(typed('[[#‸')).toMatchObject({ note: '', heading: '' });
    expect(typed('![[暗适‸')).toMatchObject({ note: '暗适' });
  });

  it('ends at the pipe and at its closing brackets', () => {
    expect(typed('[[kestrel|the ‸')).toBeNull();
    expect(typed('[[kestrel]]‸')).toBeNull();
    expect(typed('[[kestrel]] and [[ru‸')).toMatchObject({ note: 'ru', from: 18 });
  });

  it('takes in the rest of a name that is closed already', () => {
    expect(typed('[[kes‸trel]] x')).toMatchObject({ from: 2, to: 9, closed: true, note: 'kes' });
    expect(typed('[[kes‸ and more')).toMatchObject({ to: 5, closed: false });
    expect(typed('[[kes‸trel|label]] x')).toMatchObject({ to: 5, closed: false });
  });

  it('is none within a code span', () => {
    expect(typed('`a [[‸')).toBeNull();
    expect(typed('`a` [[‸')).not.toBeNull();
    expect(typed('``a ` [[‸')).toBeNull();
  });
});

describe('putting a target in', () => {
  const written = (text: string, target: string): string => {
    const line = text.replace('‸', '');
    const link = typed(text);
    if (!link) {
      throw new Error('no link is being typed');
    }
    const edit = insertion(link, target);
    const whole = line.slice(0, edit.from) + edit.insert + line.slice(edit.to);
    return `${whole.slice(0, edit.cursor)}‸${whole.slice(edit.cursor)}`;
  };

  it('closes the brackets and goes on behind them', () => {
    expect(written('see [[ca‸ now', 'calibration')).toBe('see [[calibration]]‸ now');
  });

  it('doubles no brackets that are there', () => {
    expect(written('see [[ca‸]] now', 'calibration')).toBe('see [[calibration]]‸ now');
    expect(written('see [[ca‸libr]] now', 'calibration')).toBe('see [[calibration]]‸ now');
  });

  it('replaces note and heading as one', () => {
    expect(written('[[kestrel#ga‸', 'kestrel#Gain steps')).toBe('[[kestrel#Gain steps]]‸');
  });
});
