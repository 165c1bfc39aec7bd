import { describe, expect, it } from 'vitest';

import { type Draft, Drafts } from '../../src/model/draft';

const DRAFT: Draft = { id: 'a', text: 'typed \udc80', base: 'read\r\n', hash: '1', time: 1 };

describe('drafts', () => {
  it('are found again by another page, the newest first, broken bytes and all', () => {
    new Drafts(() => localStorage, 'v').put('n.md', 'A', DRAFT);
    new Drafts(() => localStorage, 'v').put('n.md', 'A', { ...DRAFT, id: 'b', time: 2 });
    const drafts = new Drafts(() => localStorage, 'v');
    expect(drafts.list('n.md', 'A').map(draft => draft.id)).toEqual(['b', 'a']);
    expect(drafts.list('n.md', 'A')[1]).toEqual(DRAFT);
    expect(drafts.list('n.md', null)).toEqual([]);
    expect(new Drafts(() => localStorage, 'other').list('n.md', 'A')).toEqual([]);
    drafts.drop('n.md', 'A', 'b');
    drafts.drop('n.md', 'A', 'a');
    expect(localStorage.length).toBe(0);
  });

  it.each([
    [
      'forbidden',
      () => {
        throw new DOMException('forbidden', 'SecurityError');
      }
    ],
    [
      'full',
      () =>
        ({
          getItem: () => null,
          setItem: () => {
            throw new DOMException('full', 'QuotaExceededError');
          }
        }) as unknown as Storage
    ]
  ])('stay in memory where the storage is %s', (_, storage: () => Storage) => {
    const drafts = new Drafts(storage, 'v');
    expect(drafts.put('n.md', 'A', DRAFT)).toBe(false);
    expect(drafts.list('n.md', 'A')).toEqual([DRAFT]);
    drafts.drop('n.md', 'A', 'a');
    expect(drafts.list('n.md', 'A')).toEqual([]);
  });

  it('that are no drafts are passed over', () => {
    const drafts = new Drafts(() => localStorage, 'v');
    drafts.put('n.md', 'A', DRAFT);
    const key = localStorage.key(0) ?? '';
    for (const text of ['{', '{}', '[null, {"id": 1}]']) {
      localStorage.setItem(key, text);
      expect(drafts.list('n.md', 'A')).toEqual([]);
    }
    localStorage.clear();
  });
});
