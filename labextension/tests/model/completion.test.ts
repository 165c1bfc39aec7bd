import { describe, expect, it } from 'vitest';

import { matches, suggest, type Suggestion } from '../../src/model/completion';
import { openLink } from '../../src/model/linkTargets';
import { LinkResolver } from '../../src/model/resolver';
import { FakeServer } from '../server';
import { readyVault } from './vault';

const NOTES = [
  {
    file: 'papers/scaling-laws.md',
    title: 'Scaling laws of language models',
    aliases: ['power laws'],
    tags: []
  },
  { file: 'a/plan.md', title: 'Plan', aliases: [], tags: [] },
  { file: 'b/plan.md', title: 'Plan', aliases: [], tags: [] }
];
const SECTIONS = [
  {
    heading: 'Plan',
    level: 1,
    heading_path: 'Plan',
    children: [
      { heading: 'Result', level: 2, heading_path: 'Plan > Result', children: [] },
      { heading: 'Next | then', level: 2, heading_path: 'Plan > Next | then', children: [] }
    ]
  }
];

/** What the server takes for what: a stem that is unique, or a path, and then perhaps a heading. */
function meaning(target: string): object {
  const [name, heading] = target.split('#');
  const found = NOTES.filter(note => note.file === `${name}.md` || note.file.endsWith(`/${name}.md`));
  const path = { Result: 'Plan > Result', 'Next then': 'Plan > Next | then', Plan: 'Plan' }[heading ?? ''];
  const file = found.length === 1 ? found[0]?.file : undefined;
  return {
    raw_target: target,
    status: file ? 'resolved' : found.length ? 'ambiguous' : 'missing',
    target: file ? { file, heading_path: heading === undefined ? null : path } : null,
    candidates: [],
    reason: null,
    suggestions: []
  };
}

async function suggested(
  text: string,
  file: string | null = 'inbox.md',
  server = new FakeServer()
): Promise<Suggestion[]> {
  server
    .on('GET', 'vaults/lab/notes', ({ query }) => {
      const asked = (query.get('query') ?? '').toLowerCase();
      const notes = NOTES.filter(note => JSON.stringify(note).toLowerCase().includes(asked));
      return { notes, total: notes.length };
    })
    .on('POST', 'vaults/lab/search', ({ body }) => {
      const { query } = body as { query: string };
      const hit = { file: 'a/plan.md', title: 'Plan', heading: 'Result', heading_path: 'Plan > Result' };
      return {
        hits: query ? [hit] : NOTES.map(note => ({ ...note, heading: '', heading_path: '' })),
        total: 1
      };
    })
    .on('GET', 'vaults/lab/outline', () => ({ file: 'a/plan.md', title: 'Plan', sections: SECTIONS }))
    .on('POST', 'vaults/lab/resolve', ({ body }) => ({
      targets: (body as { targets: string[] }).targets.map(meaning)
    }));
  const { kb } = await readyVault(server);
  const link = openLink(text, text.length);
  if (!link) {
    throw new Error('no link is being typed');
  }
  return suggest(kb.client, new LinkResolver(kb), link, file, new AbortController().signal);
}

describe('suggestions for a wikilink', () => {
  it('are the notes that were changed last before anything is typed, without the one that is open', async () => {
    const server = new FakeServer();
    const rows = await suggested('[[', 'a/plan.md', server);
    expect(rows.map(row => row.file)).toEqual(['papers/scaling-laws.md', 'b/plan.md']);
    const search = server.asked.find(asked => asked.path.endsWith('search'));
    expect(search?.body).toMatchObject({ order_by: 'modified', descending: true, granularity: 'document' });
  });

  it('are notes by name, with what matched, and a note that could be made', async () => {
    const rows = await suggested('[[scal');
    expect(rows).toMatchObject([
      {
        kind: 'note',
        text: 'Scaling laws of language models',
        detail: 'papers',
        marks: [[0, 4]],
        target: 'scaling-laws'
      },
      { kind: 'create', text: 'scal', target: 'scal' }
    ]);
  });

  it('keep the alias that was looked for as the label', async () => {
    const [row] = await suggested('[[power');
    expect(row).toMatchObject({
      text: 'power laws',
      detail: 'Scaling laws of language models',
      target: 'scaling-laws|power laws'
    });
  });

  it('name a note by its path where its name is not its own', async () => {
    const rows = await suggested('[[plan');
    expect(rows.filter(row => row.kind === 'note').map(row => row.target)).toEqual(['a/plan', 'b/plan']);
  });

  it('offer no note of a name that there is', async () => {
    expect((await suggested('[[plan')).some(row => row.kind === 'create')).toBe(false);
  });

  it('are headings of other notes too', async () => {
    const rows = await suggested('[[resu');
    expect(rows.find(row => row.kind === 'heading')).toMatchObject({
      text: 'Result',
      detail: 'Plan',
      target: 'a/plan#Result'
    });
  });

  it('are the headings of the note behind the hash, as a link can name them', async () => {
    const rows = await suggested('[[a/plan#');
    expect(rows.map(row => [row.text, row.target])).toEqual([
      ['Plan', 'a/plan#Plan'],
      ['Result', 'a/plan#Result'],
      ['Next | then', 'a/plan#Next then']
    ]);
    expect((await suggested('[[a/plan#res')).map(row => row.text)).toEqual(['Result']);
  });

  it('are at most twenty', async () => {
    const server = new FakeServer();
    const many = Array.from({ length: 40 }, (_, index) => ({
      file: `n/${index}.md`,
      title: `Note ${index}`,
      aliases: []
    }));
    const rows = suggested('[[note', null, server);
    server.on('GET', 'vaults/lab/notes', ({ query }) => ({
      notes: many.slice(0, Number(query.get('limit'))),
      total: 40
    }));
    expect((await rows).length).toBeLessThanOrEqual(20);
  });
});

describe('what matches', () => {
  it('is every word, in any case, in any place', () => {
    expect(matches('Data scaling 2026', 'SCA')).toEqual([[5, 8]]);
    expect(matches('暗适应测量', '适应')).toEqual([[1, 3]]);
    expect(matches('Data scaling', 'data scal')).toEqual([
      [0, 4],
      [5, 9]
    ]);
    expect(matches('Data scaling', 'data none')).toEqual([]);
  });
});
