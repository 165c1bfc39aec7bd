import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Hit } from '../../src/api/types';
import { RecentSearches } from '../../src/model/recent';
import { isEnough } from '../../src/model/query';
import { PAGE, SearchModel } from '../../src/model/search';
import { type FakeServer, Refusal } from '../server';
import { answer, hit, opened, vaultServer } from '../vault';

type Body = { query: string; mode: string; limit: number; offset: number; filters: Record<string, unknown> };

const searches = (server: FakeServer): Body[] =>
  server.asked.filter(asked => asked.path.endsWith('/search')).map(asked => asked.body as Body);

async function made(server: FakeServer): Promise<{ model: SearchModel; tell: (kind: string) => void }> {
  const { kb, tell } = await opened(server);
  const model = new SearchModel(kb, new RecentSearches(null));
  model.show();
  return { model, tell };
}

/** Answers each search when `give` says so, and knows which were ended. */
function slowServer(): { server: FakeServer; give: (query: string, hits: Hit[]) => void; ended: string[] } {
  const waiting = new Map<string, (hits: Hit[]) => void>();
  const ended: string[] = [];
  const server = vaultServer().on('POST', 'vaults/lab/search', ({ body, signal }) => {
    const { query } = body as Body;
    signal?.addEventListener('abort', () => ended.push(query));
    return new Promise(resolve => waiting.set(query, hits => resolve(answer(hits))));
  });
  return { server, give: (query, hits) => waiting.get(query)?.(hits), ended };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a search', () => {
  it('runs 180 ms after the last key, once', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => answer([hit('a.md', 'One')]));
    const { model } = await made(server);
    model.type('la');
    await vi.advanceTimersByTimeAsync(179);
    model.type('lamp');
    await vi.advanceTimersByTimeAsync(179);
    expect(searches(server)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(searches(server).map(body => body.query)).toEqual(['lamp']);
    await vi.waitFor(() => expect(model.found?.hits).toHaveLength(1));
  });

  it('runs at once for Enter, for another mode and for a filter', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => answer([hit('a.md', 'One')]));
    const { model } = await made(server);
    model.type('lamp');
    expect(model.now()).toBe(true);
    await vi.waitFor(() => expect(model.found).not.toBeNull());
    expect(model.now()).toBe(false);
    model.setMode('semantic');
    await vi.waitFor(() => expect(model.found?.mode).toBe('semantic'));
    model.addFilter({ kind: 'folder', folder: 'papers', not: true });
    await vi.waitFor(() => expect(model.found?.filters).toHaveLength(1));
    const asked = searches(server);
    expect(asked.map(body => body.mode)).toEqual(['hybrid', 'semantic', 'semantic']);
    expect(asked[2]?.filters).toMatchObject({ folders: ['!/papers'] });
    await vi.advanceTimersByTimeAsync(1000);
    expect(searches(server)).toHaveLength(3);
  });

  it('waits until characters are composed', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => answer([]));
    const { model } = await made(server);
    model.type('wei', true);
    model.type('位', true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(searches(server)).toEqual([]);
    model.composed('位');
    await vi.advanceTimersByTimeAsync(180);
    expect(searches(server).map(body => body.query)).toEqual(['位']);
  });

  it('needs one character of a script without spaces or two others', () => {
    expect(['a', ' a ', '', '位', 'か', '한', 'ab', '𝒳'].filter(isEnough)).toEqual(['位', 'か', '한', 'ab']);
  });

  it('ends the search before, and drops an answer that came too late', async () => {
    const { server, give, ended } = slowServer();
    const { model } = await made(server);
    model.ask('first');
    await vi.waitFor(() => expect(searches(server)).toHaveLength(1));
    model.ask('second');
    await vi.waitFor(() => expect(searches(server)).toHaveLength(2));
    expect(ended).toEqual(['first']);
    give('second', [hit('b.md', 'New')]);
    await vi.waitFor(() => expect(model.found?.query).toBe('second'));
    give('first', [hit('a.md', 'Old')]);
    await vi.advanceTimersByTimeAsync(100);
    expect(model.found?.hits.map(one => one.heading)).toEqual(['New']);
    expect(model.problem).toBeNull();
  });

  it('keeps what is listed while the next answer is awaited, and says so from 150 ms on', async () => {
    const { server, give } = slowServer();
    const { model } = await made(server);
    model.ask('first');
    await vi.waitFor(() => expect(searches(server)).toHaveLength(1));
    give('first', [hit('a.md', 'Old')]);
    await vi.waitFor(() => expect(model.found).not.toBeNull());
    model.ask('second');
    await vi.advanceTimersByTimeAsync(149);
    expect([model.pending, model.slow]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(model.slow).toBe(true);
    expect(model.found?.hits[0]?.heading).toBe('Old');
    give('second', []);
    await vi.waitFor(() => expect(model.found?.hits).toEqual([]));
    expect([model.pending, model.slow]).toEqual([false, false]);
  });

  it('gives up after 10 s and keeps what is listed', async () => {
    const { server, give } = slowServer();
    const { model } = await made(server);
    model.ask('first');
    await vi.waitFor(() => expect(searches(server)).toHaveLength(1));
    give('first', [hit('a.md', 'Old')]);
    await vi.waitFor(() => expect(model.found).not.toBeNull());
    model.ask('second');
    await vi.advanceTimersByTimeAsync(9_900);
    expect(model.problem).toBeNull();
    await vi.advanceTimersByTimeAsync(200);
    expect(model.problem?.code).toBe('timeout');
    expect(model.found?.hits[0]?.heading).toBe('Old');
  });

  it('tells a refusal in the words of the server', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => {
      throw new Refusal(400, {
        code: 'invalid-request',
        message: 'no note has the field',
        hint: null,
        details: {}
      });
    });
    const { model } = await made(server);
    model.ask('lamp');
    await vi.waitFor(() => expect(model.problem?.message).toBe('no note has the field'));
  });
});

describe('what was found', () => {
  it('grows by a page at a time', async () => {
    const all = Array.from({ length: 120 }, (_, number) => hit(`${number % 7}.md`, `S${number}`));
    const server = vaultServer().on('POST', 'vaults/lab/search', ({ body }) => {
      const { offset, limit } = body as Body;
      const hits = all.slice(offset, offset + limit);
      return answer(hits, { total: 120, notes: 7, has_more: offset + limit < 120 });
    });
    const { model } = await made(server);
    model.ask('lamp');
    await vi.waitFor(() => expect(model.found?.hits).toHaveLength(PAGE));
    model.more();
    await vi.waitFor(() => expect(model.found?.hits).toHaveLength(2 * PAGE));
    model.more();
    await vi.waitFor(() => expect(model.found?.hits).toHaveLength(120));
    model.more();
    expect(searches(server).map(body => body.offset)).toEqual([0, 50, 100]);
    expect(model.found?.groups).toHaveLength(7);
  });

  it('is asked for again silently when notes have changed, and the selection stays', async () => {
    let heading = 'One';
    const server = vaultServer().on('POST', 'vaults/lab/search', () =>
      answer([hit('a.md', 'Zero'), hit('a.md', heading)])
    );
    const { model, tell } = await made(server);
    model.ask('lamp');
    await vi.waitFor(() => expect(model.found).not.toBeNull());
    model.select('a.md\na > Zero');
    model.folding.fold('a.md', true);
    let shown = false;
    model.changed.connect(() => (shown ||= model.pending));
    heading = 'Two';
    tell('index_updated');
    tell('index_updated');
    await vi.advanceTimersByTimeAsync(1000);
    await vi.waitFor(() => expect(model.found?.hits[1]?.heading).toBe('Two'));
    expect(searches(server)).toHaveLength(2);
    expect(shown).toBe(false);
    expect(model.selected).toBe('a.md\na > Zero');
    expect(model.folding.folded.has('a.md')).toBe(true);
  });

  it('is not asked for while the panel is hidden, and caught up with when it is shown', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => answer([hit('a.md', 'One')]));
    const { model, tell } = await made(server);
    model.ask('lamp');
    await vi.waitFor(() => expect(model.found).not.toBeNull());
    model.hide();
    tell('index_updated');
    await vi.advanceTimersByTimeAsync(5000);
    expect(searches(server)).toHaveLength(1);
    model.show();
    await vi.waitFor(() => expect(searches(server)).toHaveLength(2));
  });

  it('keeps the selection when it is sorted, and loses it with another query', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => answer([hit('a.md', 'One')]));
    const { model } = await made(server);
    model.ask('lamp');
    await vi.waitFor(() => expect(model.found).not.toBeNull());
    model.select('a.md\na > One');
    model.setSort('modified');
    await vi.waitFor(() => expect(searches(server)).toHaveLength(2));
    expect(searches(server)[1]).toMatchObject({ order_by: 'modified', descending: true });
    await vi.waitFor(() => expect(model.pending).toBe(false));
    expect(model.selected).toBe('a.md\na > One');
    model.ask('light');
    await vi.waitFor(() => expect(model.found?.query).toBe('light'));
    expect(model.selected).toBeNull();
  });

  it('says how many there were without the filters', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', ({ body }) =>
      (body as Body).filters ? answer([]) : answer([hit('a.md', 'One')], { total: 2 })
    );
    const { model } = await made(server);
    model.setFilters([{ kind: 'tag', tag: 'todo' }]);
    model.ask('lamp');
    await vi.waitFor(() => expect(model.unfiltered).toBe(2));
  });

  it('is a list of notes, the newest first, where there are filters and no query', async () => {
    const server = vaultServer().on('POST', 'vaults/lab/search', () => answer([hit('papers/a.md', 'One')]));
    const { model } = await made(server);
    model.addFilter({ kind: 'folder', folder: 'papers' });
    await vi.waitFor(() => expect(model.found?.notes).toBe(1));
    expect(searches(server)[0]).toMatchObject({
      query: '',
      order_by: 'modified',
      filters: { folders: ['/papers'] }
    });
  });
});

describe('recent searches', () => {
  it('are the last eight of a vault, each once, and stay over a reload', async () => {
    const stored = new Map<string, unknown>();
    const database = {
      fetch: (id: string) => Promise.resolve(stored.get(id) as never),
      save: (id: string, value: unknown) => Promise.resolve(void stored.set(id, value))
    };
    const recent = new RecentSearches(database);
    await recent.use('lab');
    for (const query of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'c ']) {
      recent.add(query);
    }
    expect(recent.list).toEqual(['c', 'i', 'h', 'g', 'f', 'e', 'd', 'b']);
    const later = new RecentSearches(database);
    await later.use('other');
    expect(later.list).toEqual([]);
    await later.use('lab');
    expect(later.list).toEqual(recent.list);
    later.clear();
    await recent.use('lab');
    expect(recent.list).toEqual([]);
  });
});
