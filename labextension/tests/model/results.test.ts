import { describe, expect, it } from 'vitest';

import { asFilters, type Filter, filterText, offers } from '../../src/model/filters';
import { grouped, leadIn, placeOf, rowsOf, wordsOf } from '../../src/model/results';
import { FACETS, hit, trans } from '../vault';

describe('results', () => {
  it('come by note in the order of the best hits, three at first', () => {
    const hits = [hit('b.md', '1'), hit('a.md', '2'), ...['3', '4', '5'].map(name => hit('b.md', name))];
    const groups = grouped(hits);
    const seen = (folded: string[], whole: string[]): string[] =>
      rowsOf(groups, { folded: new Set(folded), whole: new Set(whole) }, () => '').map(row =>
        row.kind === 'note' ? row.group.title : row.kind === 'hit' ? row.hit.heading : `${row.more} more`
      );
    expect(seen([], [])).toEqual(['b', '1', '3', '4', '1 more', 'a', '2']);
    expect(seen([], ['b.md'])).toEqual(['b', '1', '3', '4', '5', 'a', '2']);
    expect(seen(['b.md'], [])).toEqual(['b', 'a', '2']);
  });

  it('show a snippet that starts at most so many characters before the first mark, at a word', () => {
    const snippet = 'The quick brown fox jumps over the lazy dog';
    expect(leadIn(snippet, [[35, 39]], 24)).toEqual({
      text: '…fox jumps over the lazy dog',
      marks: [[20, 24]]
    });
    expect(leadIn(snippet, [[35, 39]], 12)).toEqual({ text: '…over the lazy dog', marks: [[10, 14]] });
    expect(leadIn(snippet, [[4, 9]], 12)).toEqual({ text: snippet, marks: [[4, 9]] });
    expect(leadIn(snippet, [], 12).text).toBe(snippet);
    const wide = '当键的维度较大时点积的方差随之增大';
    expect(leadIn(wide, [[12, 14]], 4)).toEqual({ text: '…点积的方差随之增大', marks: [[5, 7]] });
    expect(leadIn('😀 🎉 party on', [[4, 9]], 2)).toEqual({ text: '…🎉 party on', marks: [[3, 8]] });
  });

  it('mark neighbouring words as one', () => {
    expect(
      leadIn(
        'dark offset, dark',
        [
          [0, 4],
          [5, 11],
          [13, 17]
        ],
        24
      ).marks
    ).toEqual([
      [0, 11],
      [13, 17]
    ]);
  });

  it('name the place without the title that stands above it', () => {
    expect(placeOf(hit('a.md', 'One'))).toBe('One');
    expect(placeOf(hit('a.md', 'One', { heading_path: 'a' }))).toBe('');
    expect(placeOf(hit('a.md', 'One', { heading_path: 'ab > One' }))).toBe('ab > One');
  });

  it('give the words that were found, each once', () => {
    const marks: [number, number][] = [
      [0, 4],
      [5, 9]
    ];
    expect(wordsOf(hit('a.md', 'x', { snippet: 'Dark dark 😀', marks }))).toEqual(['dark']);
  });
});

describe('filters', () => {
  const filters: Filter[] = [
    { kind: 'folder', folder: 'papers' },
    { kind: 'folder', folder: 'archive', not: true },
    { kind: 'tag', tag: 'todo' },
    { kind: 'tag', tag: 'draft', not: true },
    { kind: 'property', field: 'status', value: 'open' },
    { kind: 'property', field: 'status', value: 'new' },
    { kind: 'date', within: 'week' }
  ];

  it('are read by the server as they are meant', () => {
    expect(asFilters(filters, Date.UTC(2026, 10, 30))).toEqual({
      folders: ['/papers', '!/archive'],
      tags: ['todo', '!draft'],
      front_matter: { status: ['open', 'new'] },
      modified_after: '2026-11-23T00:00:00.000Z'
    });
  });

  it('have a short name each', () => {
    expect(filters.map(filter => filterText(filter, trans))).toEqual([
      'papers',
      'not in archive',
      '#todo',
      'not #draft',
      'status: open',
      'status: new',
      'past week'
    ]);
  });

  it('are offered unless they are on', () => {
    const kinds = offers(FACETS, false, [{ kind: 'tag', tag: 'todo' }]).map(({ filter }) => filter.kind);
    expect(kinds).toEqual(['folder', 'folder', 'date', 'date', 'date', 'date', 'property']);
    expect(offers(FACETS, true, []).every(({ filter }) => 'not' in filter && filter.not)).toBe(true);
  });
});
