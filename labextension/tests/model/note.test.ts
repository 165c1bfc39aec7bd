import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { NoteModel } from '../../src/model/note';
import { KnowledgeBase } from '../../src/model/session';
import type { INavigator, Place } from '../../src/tokens';
import { FakeServer } from '../server';

const SECTION = {
  heading: 'A',
  level: 1,
  heading_path: 'A',
  line_range: { start: 1, end: 9 },
  size: 30,
  content_hash: 'a1',
  own_hash: 'a1',
  children: []
};

class Front implements Pick<INavigator, 'current' | 'currentChanged'> {
  current: Place | null = null;
  readonly currentChanged = new Signal<INavigator, Place | null>(this as unknown as INavigator);
  to(place: Place | null): void {
    this.current = place;
    this.currentChanged.emit(place);
  }
}

async function made(): Promise<{
  server: FakeServer;
  front: Front;
  model: NoteModel;
  tell: (emission: object) => void;
  asked: (path: string) => string[];
}> {
  const vault = { name: 'v', root: '/v', is_default: true, ready: true, problem: null, contents_path: '' };
  const server = new FakeServer()
    .on('GET', 'vaults', () => ({ vaults: [vault] }))
    .on('GET', 'vaults/v/status', () => ({ vault: 'v', notes: 2 }))
    .on('GET', 'vaults/v/outline', ({ query }) => ({
      file: query.get('file'),
      title: `Title of ${query.get('file')}`,
      version: '1',
      sections: [SECTION],
      front_matter: null,
      diagnostics: []
    }))
    .on('GET', 'vaults/v/section', () => ({ content: '# A\n\nThree words here', content_hash: 'a1' }))
    .on('GET', 'vaults/v/links', () => ({ links: [], total: 0 }))
    .on('GET', 'vaults/v/mentions', () => ({ mentions: [], total: 0, more: false }));
  const stream = new Signal<object, never>({});
  const kb = new KnowledgeBase(server.settings, stream as never, nullTranslator.load('jupyter_kb'));
  await kb.refresh();
  const front = new Front();
  const model = new NoteModel(kb, front);
  return {
    server,
    front,
    model,
    tell: emission => stream.emit(emission as never),
    asked: path =>
      server.asked
        .filter(asked => asked.path === `vaults/v/${path}`)
        .map(asked => asked.query.get('file') ?? '')
  };
}

const changed = {
  schema_id: 'https://events.jupyter.org/jupyter_kb/note_changed/v1',
  vault: 'v',
  file: 'a.md'
};

describe('the note that is shown', () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('follows the note in front, and reads only the one at which the tabs came to rest', async () => {
    const { model, front, asked } = await made();
    model.seen(true);
    front.to({ file: 'a.md' });
    front.to({ file: 'b.md' });
    front.to({ file: 'c.md' });
    await vi.waitFor(() => expect(model.outline?.title).toBe('Title of c.md'));
    expect(asked('outline')).toEqual(['c.md']);
  });

  it('reads nothing while it is not seen, and catches up', async () => {
    const { model, front, tell, asked } = await made();
    front.to({ file: 'a.md', line: 3 });
    await vi.advanceTimersByTimeAsync(500);
    expect(asked('outline')).toEqual([]);
    model.seen(true);
    await vi.waitFor(() => expect(model.words).toBe(3));
    model.seen(false);
    tell(changed);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked('outline')).toEqual(['a.md']);
    model.seen(true);
    await vi.waitFor(() => expect(asked('outline')).toEqual(['a.md', 'a.md']));
  });

  it('knows the section that is read, blank lines below it included', async () => {
    const { model, front } = await made();
    model.seen(true);
    front.to({ file: 'a.md', line: 12 });
    await vi.waitFor(() => expect(model.section?.heading_path).toBe('A'));
  });

  it('keeps a pinned note and takes up the one in front when it is let go', async () => {
    const { model, front } = await made();
    model.seen(true);
    front.to({ file: 'a.md' });
    await vi.waitFor(() => expect(model.file).toBe('a.md'));
    model.pin(true);
    front.to({ file: 'b.md' });
    await vi.advanceTimersByTimeAsync(500);
    expect(model.file).toBe('a.md');
    expect(model.section).toBeNull();
    model.pin(false);
    await vi.waitFor(() => expect(model.file).toBe('b.md'));
  });

  it('drops the answer about a note that is no longer shown', async () => {
    const { model, front, server } = await made();
    let answer: (value: unknown) => void = () => undefined;
    server.on('GET', 'vaults/v/links', ({ query }) =>
      query.get('file') === 'a.md' ? new Promise(resolve => (answer = resolve)) : { links: [], total: 7 }
    );
    model.seen(true);
    front.to({ file: 'a.md' });
    await vi.waitFor(() => expect(model.file).toBe('a.md'));
    front.to({ file: 'b.md' });
    await vi.waitFor(() => expect(model.incomingTotal).toBe(7));
    answer({ links: [], total: 99 });
    await vi.advanceTimersByTimeAsync(100);
    expect(model.incomingTotal).toBe(7);
  });

  it('takes several events together', async () => {
    const { model, front, tell, asked } = await made();
    model.seen(true);
    front.to({ file: 'a.md' });
    await vi.waitFor(() => expect(model.incomingTotal).toBe(0));
    tell(changed);
    tell(changed);
    tell(changed);
    await vi.waitFor(() => expect(asked('outline').length).toBe(2));
    await vi.advanceTimersByTimeAsync(500);
    expect(asked('outline').length).toBe(2);
  });

  it('looks for mentions only when asked to, and again after a change', async () => {
    const { model, front, tell, asked } = await made();
    model.seen(true);
    front.to({ file: 'a.md' });
    await vi.waitFor(() => expect(model.incomingTotal).toBe(0));
    expect(asked('mentions')).toEqual([]);
    await model.loadMentions();
    expect(model.mentions).toEqual([]);
    tell(changed);
    await vi.waitFor(() => expect(asked('mentions')).toEqual(['a.md', 'a.md']));
    model.forgetMentions();
    tell(changed);
    await vi.waitFor(() => expect(asked('outline').length).toBe(3));
    await vi.advanceTimersByTimeAsync(200);
    expect(asked('mentions').length).toBe(2);
  });

  it('says why a note could not be read', async () => {
    const { model, front, server } = await made();
    server.on('GET', 'vaults/v/outline', () => {
      throw new Error('gone');
    });
    model.seen(true);
    front.to({ file: 'a.md' });
    await vi.waitFor(() => expect(model.problem).not.toBeNull());
    expect(model.outline).toBeNull();
  });
});
