import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { describe, expect, it } from 'vitest';

import { KnowledgeBase } from '../../src/model/session';
import { FakeServer } from '../server';

const VAULTS = [
  { name: 'other', root: '/srv/other', is_default: false, ready: true, problem: null, contents_path: null },
  { name: 'lab', root: '/srv/work/lab', is_default: true, ready: true, problem: null, contents_path: 'lab' }
];

function made(server: FakeServer): { kb: KnowledgeBase; tell: (emission: object) => void } {
  const source = {};
  const stream = new Signal<object, never>(source);
  const kb = new KnowledgeBase(server.settings, stream as never, nullTranslator.load('jupyter_kb'));
  return { kb, tell: emission => stream.emit(emission as never) };
}

function offering(): FakeServer {
  return new FakeServer()
    .on('GET', 'vaults', () => ({ vaults: VAULTS }))
    .on('GET', 'vaults/lab/status', () => ({ vault: 'lab', notes: 3 }))
    .on('GET', 'vaults/other/status', () => ({ vault: 'other', notes: 5 }));
}

describe('the session', () => {
  it('takes the default vault and reads its status', async () => {
    const { kb } = made(offering());
    await kb.refresh();
    expect(kb.state).toBe('ready');
    expect(kb.vault?.name).toBe('lab');
    expect(kb.status?.notes).toBe(3);
  });

  it('says that the server part is missing', async () => {
    const { kb } = made(new FakeServer());
    await kb.refresh();
    expect(kb.state).toBe('missing');
    expect(() => kb.client).toThrow('no notes folder');
  });

  it('maps paths of the contents to notes and back', async () => {
    const { kb } = made(offering());
    await kb.refresh();
    expect(kb.fileOf('RTC:lab/daily/a.md')).toBe('daily/a.md');
    expect(kb.fileOf('lab/a: b.md')).toBe('a: b.md');
    expect(kb.fileOf('lab/a.ipynb')).toBeNull();
    expect(kb.fileOf('laboratory/a.md')).toBeNull();
    expect(kb.contentsPathOf('daily/a.md')).toBe('lab/daily/a.md');
  });

  it('shows another vault when one is chosen, and nothing of the first one after that', async () => {
    const { kb, tell } = made(offering());
    await kb.refresh();
    kb.choose('other');
    expect(kb.status).toBeNull();
    await expect.poll(() => kb.status?.notes).toBe(5);
    expect(kb.contentsPathOf('a.md')).toBeNull();
    const heard: string[] = [];
    kb.events.connect((_, event) => heard.push(event.vault));
    const schema_id = 'https://events.jupyter.org/jupyter_kb/index_progress/v1';
    tell({ schema_id, vault: 'lab', done: 1, total: 2 });
    tell({ schema_id, vault: 'other', done: 1, total: 2 });
    tell({ schema_id: 'https://events.jupyter.org/jupyter_server/contents_service/v1', vault: 'other' });
    expect(heard).toEqual(['other']);
  });
});
