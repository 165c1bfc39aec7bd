import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { describe, expect, it } from 'vitest';

import { Client } from '../../src/api/client';
import { DiagnosticsModel } from '../../src/model/diagnostics';
import type { IKnowledgeBase } from '../../src/tokens';
import { FakeServer } from '../server';

const BROKEN = Array.from({ length: 120 }, (_, n) => ({
  file: n < 2 ? 'secret/a.md' : `b${n}.md`,
  kind: 'unresolved-link',
  message: `link '[[Missing ${n}]]' does not resolve`,
  line: n < 2 ? 7 : n,
  hint: null
}));
const PROPERTIES = [
  { file: 'c.md', kind: 'front-matter', message: 'a colon needs a space', line: 4, hint: null }
];

function offering(found: readonly { kind: string }[]): FakeServer {
  return new FakeServer()
    .on('GET', 'vaults/v/diagnostics', ({ query }) => {
      const all = found.filter(one => one.kind === query.get('kind'));
      const offset = Number(query.get('offset') ?? 0);
      return { diagnostics: all.slice(offset, offset + Number(query.get('limit'))), total: all.length };
    })
    .on('GET', 'vaults/v/links', ({ query }) => ({
      total: 3,
      links: ['Missing 0', 'There', 'Missing 1'].map(raw_target => ({
        source: { file: query.get('file'), heading_path: 'A' },
        line: 7,
        raw_target,
        kind: 'wikilink',
        status: raw_target === 'There' ? 'resolved' : 'missing',
        target: null,
        candidates: [],
        context: ''
      }))
    }));
}

function made(server: FakeServer): DiagnosticsModel {
  const source = {};
  const signal = (): Signal<object, never> => new Signal<object, never>(source);
  return new DiagnosticsModel({
    state: 'ready',
    problem: null,
    status: {
      notes: 3,
      sections: 9,
      links: 4,
      diagnostics: 121,
      index_bytes: 5,
      index_location: '/x',
      root: '/home/me',
      language: 'english',
      watching: 'events',
      version: '0.1.0',
      model: null
    },
    vault: { name: 'v' },
    client: new Client(server.settings, 'v'),
    trans: nullTranslator.load('jupyter_kb'),
    changed: signal(),
    events: signal(),
    refresh: () => Promise.resolve()
  } as unknown as IKnowledgeBase);
}

describe('problems in notes', () => {
  it('come by kind, the first three of each, with how many there are', async () => {
    const model = made(offering([...BROKEN, ...PROPERTIES]));
    await model.check();
    expect(model.groups?.map(group => [group.id, group.problems.length, group.total])).toEqual([
      ['broken', 3, 120],
      ['properties', 1, 1]
    ]);
    expect(model.total).toBe(121);
  });

  it('know which link they mean, also where a line holds several', async () => {
    const model = made(offering(BROKEN));
    await model.check();
    const targets = model.groups?.[0]?.problems.slice(0, 2).map(one => one.broken?.link.raw_target);
    expect(targets).toEqual(['Missing 0', 'Missing 1']);
  });

  it('are listed further when asked for, and stay so after a new look', async () => {
    const model = made(offering(BROKEN));
    await model.check();
    await model.more('broken');
    expect(model.groups?.[0]?.problems).toHaveLength(50);
    await model.check();
    expect(model.groups?.[0]?.problems).toHaveLength(50);
  });

  it('are all read before they are filtered', async () => {
    const model = made(offering([...BROKEN, ...PROPERTIES]));
    await model.check();
    model.setFilter('missing 119');
    await expect.poll(() => model.shown.map(group => group.total)).toEqual([1]);
    expect(model.shown[0]?.problems[0]?.file).toBe('b119.md');
  });

  it('are none where there are none', async () => {
    const model = made(offering([]));
    await model.check();
    expect(model.groups).toEqual([]);
    expect(model.total).toBe(0);
  });

  it('do not hide that they could not be read', async () => {
    const model = made(new FakeServer());
    await model.check();
    expect(model.problem?.code).toBe('missing');
  });
});

describe('the report', () => {
  it('names no note, path or text unless that is wanted', async () => {
    const model = made(offering([...BROKEN, ...PROPERTIES]));
    await model.check();
    const short = model.report([], false);
    expect(short).toContain('broken: 120');
    expect(short).not.toMatch(/secret|Missing|home|colon|c\.md/);
    const long = model.report([], true);
    expect(long).toContain('secret/a.md:7');
    expect(long).toContain('/home/me');
  });
});
