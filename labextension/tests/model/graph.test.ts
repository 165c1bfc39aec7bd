import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { describe, expect, it } from 'vitest';

import { Client } from '../../src/api/client';
import type { VaultEvent } from '../../src/api/events';
import { GraphModel, isCut } from '../../src/model/graph';
import { around, MOST, whole } from '../../src/model/graphData';
import { firstWords } from '../../src/model/graphDetails';
import { laidOut, seeded } from '../../src/model/graphLayout';
import { listRows } from '../../src/model/graphList';
import type { Layout } from '../../src/model/graphPlaces';
import type { IKnowledgeBase } from '../../src/tokens';
import { type Asked, FakeServer } from '../server';

/** Links of a small vault: who leads to whom. */
const LINKS: [string, string][] = [
  ['a.md', 'b.md'],
  ['a.md', 'c.md'],
  ['b.md', 'a.md'],
  ['b.md', 'd.md'],
  ['c.md', 'Nowhere'],
  ['d.md', 'e.md']
];

function node(file: string, distance: number | null): object {
  const missing = !file.endsWith('.md');
  const degree = LINKS.filter(pair => pair.includes(file)).length;
  return {
    file,
    title: file.replace('.md', '').toUpperCase(),
    folder: '',
    tags: [],
    degree,
    distance,
    missing
  };
}

/** As the server does it: nearest first, a page of them, edges to earlier ones. */
function graphOf(asked: Asked, links = LINKS, longest = 1000): object {
  const centre = asked.query.get('file');
  const depth = Number(asked.query.get('depth') ?? 1);
  const far = new Map<string, number>();
  if (centre !== null) {
    far.set(centre, 0);
    for (let step = 1; step <= depth; step += 1) {
      for (const [one, other] of links) {
        for (const [from, to] of [
          [one, other],
          [other, one]
        ] as const) {
          if (far.get(from) === step - 1 && !far.has(to)) {
            far.set(to, step);
          }
        }
      }
    }
  } else {
    links.flat().forEach(file => far.set(file, 0));
  }
  const all = [...far].sort((x, y) => x[1] - y[1] || (x[0] < y[0] ? -1 : 1)).map(([file]) => file);
  const offset = Number(asked.query.get('offset') ?? 0);
  const end = offset + Math.min(Number(asked.query.get('limit')), longest);
  const rank = (file: string): number => (all.includes(file) ? all.indexOf(file) : Infinity);
  return {
    nodes: all.slice(offset, end).map(file => node(file, centre === null ? null : (far.get(file) ?? 0))),
    edges: links
      .filter(([one, other]) => {
        const later = Math.max(rank(one), rank(other));
        return later >= offset && later < end;
      })
      .map(([source, target]) => ({ source, target, count: 1 })),
    total: all.length
  };
}

function offering(links = LINKS, longest = 1000): FakeServer {
  return new FakeServer()
    .on('GET', 'vaults/v/graph', asked => graphOf(asked, links, longest))
    .on('GET', 'vaults/v/section', () => ({ content: '# A\n\nFirst words.\n', modified: 1 }))
    .on('GET', 'vaults/v/links', () => ({ links: [], total: 2 }));
}

const here: Layout = order => Promise.resolve(laidOut(order));

function made(
  server: FakeServer,
  layout = here
): { model: GraphModel; tell: (event: Partial<VaultEvent>) => void } {
  const source = {};
  const events = new Signal<object, VaultEvent>(source);
  const kb = {
    state: 'ready',
    vault: { name: 'v' },
    status: null,
    client: new Client(server.settings, 'v'),
    trans: nullTranslator.load('jupyter_kb'),
    events,
    changed: new Signal<object, void>(source)
  } as unknown as IKnowledgeBase;
  return { model: new GraphModel(kb, layout), tell: event => events.emit(event as VaultEvent) };
}

describe('what the graph reads', () => {
  it('joins pages that are shorter than was asked for, each edge once', async () => {
    const client = new Client(offering(LINKS, 2).settings, 'v');
    const picture = await around(client, 'a.md', 2, false);
    expect([...picture.nodes.keys()]).toEqual(['a.md', 'b.md', 'c.md', 'Nowhere', 'd.md']);
    expect(picture.lines).toHaveLength(4); // a–b is one line, whichever way its two links lead
    expect(picture.beyond).toBe(1);
  });

  it('reads the whole vault in pages at the same time', async () => {
    const links = Array.from({ length: 1300 }, (_, n): [string, string] => [`${n}.md`, `${n + 1}.md`]);
    const told: number[] = [];
    const client = new Client(offering(links, 400).settings, 'v');
    const picture = await whole(client, undefined, done => told.push(done));
    expect(picture.nodes.size).toBe(1301);
    expect(picture.lines).toHaveLength(1300);
    expect(told.at(-1)).toBe(1301);
    expect(picture.beyond).toBeNull();
  });

  it('shows at most 150 notes around one, and says so', async () => {
    const links = Array.from({ length: 400 }, (_, n): [string, string] => ['hub.md', `${n}.md`]);
    const picture = await around(new Client(offering(links).settings, 'v'), 'hub.md', 1, false);
    expect(picture.nodes.size).toBe(MOST);
    expect(isCut(picture)).toBe(true);
    expect(picture.total).toBe(401);
  });

  it('adds notes of similar meaning that are not linked with the centre, and only those as such', async () => {
    const hit = (file: string): object => ({ file, title: file });
    const server = offering().on('POST', 'vaults/v/search', () => ({
      hits: [hit('b.md'), hit('x.md'), hit('d.md')]
    }));
    const picture = await around(new Client(server.settings, 'v'), 'a.md', 2, true);
    expect(picture.similar.map(pair => pair.other)).toEqual(['x.md', 'd.md']);
    expect(picture.nodes.get('x.md')?.similar).toBe(true);
    expect(picture.nodes.get('d.md')?.similar).toBeUndefined();
  });
});

describe('the layout', () => {
  it('gives the same picture for the same notes, in whatever order they come', () => {
    const files = ['a', 'b', 'c', 'd'];
    const lines = Uint32Array.from([0, 1, 1, 2]);
    const one = laidOut({ places: seeded(files, []), lines, centre: 0 }, () => 0);
    const again = laidOut({ places: seeded(files, []), lines, centre: 0 }, () => 0);
    expect([...one]).toEqual([...again]);
    const turned = seeded([...files].reverse(), []);
    expect([turned[6], turned[7]]).toEqual([seeded(files, [])[0], seeded(files, [])[1]]);
  });

  it('keeps the centre in the middle and all others apart', () => {
    const count = 40;
    const files = Array.from({ length: count }, (_, n) => `${n}`);
    const lines = Uint32Array.from(files.flatMap((_, n) => [0, n]).slice(2));
    const places = laidOut({ places: seeded(files, []), lines, centre: 0 }, () => 0);
    expect([places[0], places[1]]).toEqual([0, 0]);
    const spots = new Set(
      files.map((_, n) => `${places[2 * n]?.toFixed(1)} ${places[2 * n + 1]?.toFixed(1)}`)
    );
    expect(spots.size).toBe(count);
  });

  it('ends when its time is up', () => {
    let calls = 0;
    const clock = (): number => (calls += 1) * 200;
    laidOut({ places: seeded(['a', 'b'], []), lines: Uint32Array.from([0, 1]), centre: -1 }, clock);
    expect(calls).toBeLessThan(10);
  });
});

describe('the graph', () => {
  it('goes to a note, back, and forward again', async () => {
    const { model } = made(offering());
    await model.go('a.md');
    expect(model.title).toBe('A');
    expect(model.counts).toEqual({ notes: 4, links: 4, missing: 1 });
    await model.go('d.md');
    expect(model.canForward).toBe(false);
    model.back();
    await expect.poll(() => model.title).toBe('A');
    expect(model.canBack).toBe(false);
    model.forward();
    await expect.poll(() => model.title).toBe('D');
  });

  it('drops an answer that came too late', async () => {
    let release: () => void = () => undefined;
    const slow = new Promise<void>(resolve => (release = resolve));
    const server = offering().on('GET', 'vaults/v/graph', async asked => {
      if (asked.query.get('file') === 'a.md') {
        await slow;
      }
      return graphOf(asked);
    });
    const { model } = made(server);
    const first = model.go('a.md');
    await model.go('d.md');
    release();
    await first;
    expect([...model.picture.nodes.keys()][0]).toBe('d.md');
  });

  it('shows the whole vault before it is laid out, and lays it out without another scene', async () => {
    let release: (places: Float32Array) => void = () => undefined;
    const { model } = made(offering(), () => new Promise(resolve => (release = resolve)));
    const going = model.go(null);
    await expect.poll(() => model.picture.nodes.size).toBe(6);
    const scene = model.scene;
    expect(model.pending).toBe(true);
    release(new Float32Array(12).fill(7));
    await going;
    expect(model.places.get('a.md')).toEqual({ x: 7, y: 7 });
    expect(model.scene).toBe(scene);
    expect(model.pending).toBe(false);
  });

  it('steps to the neighbour in a direction', async () => {
    const { model } = made(offering());
    await model.go('a.md');
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1]
    ] as const) {
      model.select(null);
      if (model.step(dx, dy)) {
        const place = model.places.get(model.selected ?? '');
        expect((place?.x ?? 0) * dx + (place?.y ?? 0) * dy).toBeGreaterThan(0);
        expect(model.neighbours('a.md')).toContain(model.selected);
      }
    }
  });

  it('leaves all notes where they are when one is added', async () => {
    let links = LINKS;
    const server = offering().on('GET', 'vaults/v/graph', asked => graphOf(asked, links));
    const { model, tell } = made(server);
    model.show();
    await model.go('a.md');
    const before = new Map(model.places);
    const scene = model.scene;
    links = [...LINKS, ['a.md', 'new.md']];
    tell({ kind: 'index_updated' });
    await expect.poll(() => model.picture.nodes.has('new.md'), { timeout: 5000 }).toBe(true);
    before.forEach((place, file) => expect(model.places.get(file)).toEqual(place));
    expect(model.places.get('new.md')).toBeDefined();
    expect(model.scene).toBe(scene);
  });

  it('says what went wrong, and reads again when asked to', async () => {
    const server = new FakeServer();
    const { model } = made(server);
    await model.go('a.md');
    expect(model.problem?.code).toBe('missing');
    server.on('GET', 'vaults/v/graph', asked => graphOf(asked));
    await model.again();
    expect(model.problem).toBeNull();
    expect(model.picture.nodes.size).toBe(5);
  });
});

describe('the list', () => {
  it('puts each note below the one that leads to it, once', async () => {
    const { model } = made(offering());
    await model.go('a.md');
    const rows = listRows(model, new Set());
    expect(rows.map(row => [row.id, row.level])).toEqual([
      ['a.md', 1],
      ['b.md', 2],
      ['d.md', 3],
      ['c.md', 2],
      ['Nowhere', 3]
    ]);
    expect(listRows(model, new Set(['b.md'])).map(row => row.id)).not.toContain('d.md');
  });

  it('keeps of the filtered notes those that lead to one that passes', async () => {
    const { model } = made(offering());
    await model.go('a.md');
    model.setFilter('nowh');
    expect(listRows(model, new Set()).map(row => row.id)).toEqual(['a.md', 'c.md', 'Nowhere']);
  });

  it('shows the whole vault by folder, closed at first', async () => {
    const { model } = made(offering());
    await model.go(null);
    const rows = listRows(model, new Set());
    expect(rows.every(row => row.level === 1 && row.expanded === false)).toBe(true);
    expect(listRows(model, new Set(['/'])).some(row => row.id === 'e.md')).toBe(true);
  });
});

describe('the first words of a note', () => {
  it('are those of its first paragraph, without the marks of Markdown', () => {
    const note =
      '---\ntags: [x]\n---\n# Title\n\n![[picture.png]]\n\nThe **bold** [[note|word]] and [link](x.md).\n';
    expect(firstWords(note)).toBe('The bold word and link.');
  });

  it('end with a sentence where one ends soon enough', () => {
    const sentence = 'This sentence is long enough to stand alone in the column.';
    expect(firstWords(`${sentence} ${'word '.repeat(40)}`)).toBe(sentence);
    expect(firstWords('word '.repeat(60)).endsWith(' …')).toBe(true);
  });
});
