import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { Client } from '../../src/api/client';
import type { VaultEvent } from '../../src/api/events';
import { Drafts } from '../../src/model/draft';
import { insertAsNew } from '../../src/model/rescue';
import { SectionModel } from '../../src/model/section';
import { FakeServer, Refusal } from '../server';
import { NoteOnServer } from '../note';

const PATH = 'vaults/v/section';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

function made(text: string, options: { headingPath?: string | null; storage?: () => Storage } = {}) {
  const server = new FakeServer();
  const note = new NoteOnServer(server, text);
  const happened = new Signal<object, VaultEvent>({});
  const open = (): SectionModel =>
    new SectionModel({
      client: new Client(server.settings, 'v'),
      events: happened,
      drafts: new Drafts(options.storage ?? (() => localStorage), 'v'),
      file: 'n.md',
      headingPath: options.headingPath === undefined ? 'A' : options.headingPath
    });
  const tell = (): void =>
    happened.emit({
      kind: 'note_changed',
      vault: 'v',
      file: 'n.md',
      operation: 'replace',
      actor: 'x',
      version: ''
    });
  return { server, note, open, tell, model: open() };
}

describe('the section editor', () => {
  it('writes the whole text under the hash it started from, and goes on from the new one', async () => {
    const { model, note, server } = made('# A\r\n\r\none\r\ntwo');
    await model.load();
    expect([model.status, model.text]).toEqual(['clean', '# A\n\none\ntwo']);
    expect(await model.save()).toBe(true);
    expect(server.asked.filter(asked => asked.method === 'PATCH')).toEqual([]);
    model.type('# A\n\none, edited\ntwo');
    expect(model.status).toBe('dirty');
    expect(await model.save()).toBe(true);
    expect(note.text).toBe('# A\r\n\r\none, edited\r\ntwo');
    expect([model.status, model.hash]).toEqual(['saved', note.hash]);
    model.type('# B\n\none');
    await model.save();
    expect([note.text, model.headingPath]).toEqual(['# B\r\n\r\none', 'B']);
  });

  it('keeps what is typed while a save is under way, and says so when that takes time', async () => {
    const { model, note } = made('# A');
    await model.load();
    const open = note.hold();
    model.type('# A\n\none');
    const saved = model.save();
    expect(model.status).toBe('dirty');
    await vi.advanceTimersByTimeAsync(300);
    expect(model.status).toBe('saving');
    model.type('# A\n\none and more');
    open();
    await saved;
    expect([note.text, model.text, model.status]).toEqual(['# A\n\none', '# A\n\none and more', 'dirty']);
    await model.save();
    expect(note.text).toBe('# A\n\none and more');
  });

  it('is reloaded in place where nothing was typed, and its own saves are not "elsewhere"', async () => {
    const { model, note, tell } = made('# A\n\none');
    await model.load();
    note.text = '# A\n\ntwo';
    tell();
    await vi.waitFor(() => expect(model.text).toBe('# A\n\ntwo'));
    expect(model.status).toBe('updated');
    await vi.advanceTimersByTimeAsync(5000);
    expect(model.status).toBe('clean');
    model.type('# A\n\nthree');
    const saving = model.save();
    tell();
    await saving;
    await vi.advanceTimersByTimeAsync(10);
    expect([model.status, model.theirs]).toEqual(['saved', null]);
  });

  it('does nothing while hidden, and catches up when shown', async () => {
    const { model, note, tell, server } = made('# A\n\none');
    await model.load();
    model.active = false;
    note.text = '# A\n\ntwo';
    const asked = server.asked.length;
    tell();
    tell();
    expect(server.asked.length).toBe(asked);
    model.active = true;
    await vi.waitFor(() => expect(model.text).toBe('# A\n\ntwo'));
  });

  it('tells of a change elsewhere, refuses to overwrite it, and saves the result of the decisions', async () => {
    const { model, note, tell } = made('# A\n\none\n\ntwo');
    await model.load();
    model.type('# A\n\nmine\n\ntwo');
    note.text = '# A\n\ntheirs\n\ntwo';
    tell();
    await vi.waitFor(() => expect(model.status).toBe('changed'));
    expect(await model.save()).toBe(false);
    expect([model.status, model.text, note.text]).toEqual([
      'refused',
      '# A\n\nmine\n\ntwo',
      '# A\n\ntheirs\n\ntwo'
    ]);
    expect(await model.saveResult()).toBe(false);
    model.merge?.chooseAll('mine');
    note.text = '# A\n\ntheirs\n\ntwo\n\nthree'; // refused twice
    expect(await model.saveResult()).toBe(false);
    expect([model.merge?.left, model.merge?.taken]).toEqual([0, 1]);
    expect(await model.saveResult()).toBe(true);
    expect([model.status, model.text, note.text]).toEqual([
      'saved',
      '# A\n\nmine\n\ntwo\n\nthree',
      '# A\n\nmine\n\ntwo\n\nthree'
    ]);
    expect(localStorage.length).toBe(0);
  });

  it('goes back to what is on the disk when the changes are discarded', async () => {
    const { model, note } = made('# A\n\none');
    await model.load();
    model.type('# A\n\nmine');
    note.text = '# A\n\ntheirs';
    await model.save();
    await model.discard();
    expect([model.text, model.merge, model.dirty]).toEqual(['# A\n\ntheirs', null, false]);
  });

  it('is no conflict where somebody else wrote the very same', async () => {
    const { model, note, tell } = made('# A\n\none');
    await model.load();
    model.type('# A\n\ntwo');
    note.text = '# A\n\ntwo';
    tell();
    await vi.waitFor(() => expect(model.dirty).toBe(false));
    expect(model.theirs).toBeNull();
  });

  it('offers after a crash what was typed half a second before it, and what that was made from', async () => {
    const { model, note, open } = made('# A\n\none');
    await model.load();
    model.type('# A\n\nmine');
    expect(localStorage.length).toBe(0);
    await vi.advanceTimersByTimeAsync(500);
    expect(localStorage.length).toBe(1);
    note.text = '# A\n\ntheirs';
    const next = open();
    await next.load();
    expect([next.text, next.drafts.offered?.text]).toEqual(['# A\n\ntheirs', '# A\n\nmine']);
    next.type('# A\n\nsomething else');
    await vi.advanceTimersByTimeAsync(500);
    const third = open();
    await third.load();
    third.restore();
    expect(third.text).toBe('# A\n\nsomething else');
    expect(third.drafts.offered?.text).toBe('# A\n\nmine');
    third.restore();
    expect([third.text, third.status]).toEqual(['# A\n\nmine', 'changed']);
    expect(await third.save()).toBe(false);
    expect(third.merge?.base).toBe('# A\n\none');
    await third.discard();
    expect(third.drafts.offered?.text).toBe('# A\n\nsomething else'); // stood there when the other was restored
    third.dropOffered();
    expect(localStorage.length).toBe(0);
  });

  it('keeps the text where the storage is full', async () => {
    const full = (): never => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const { model } = made('# A', { storage: full });
    await model.load();
    model.type('# A\n\nmine');
    await vi.advanceTimersByTimeAsync(500);
    expect([model.text, model.drafts.unsafe]).toEqual(['# A\n\nmine', true]);
  });

  it('keeps the text where the section is gone, and writes it as a new one', async () => {
    const { model, note, tell } = made('# A\n\none\n# Z');
    await model.load();
    model.type('# A\n\nmine');
    note.text = '# Z';
    tell();
    await vi.waitFor(() => expect(model.status).toBe('gone'));
    expect(await model.save()).toBe(false);
    await model.saveAsNew('A', '\nmine');
    expect(note.text).toBe('# Z\n# A\n\nmine');
    expect([model.status, model.headingPath, model.text]).toEqual(['saved', 'A', '# A\n\nmine']);
    expect(localStorage.length).toBe(0);
  });

  it('follows a section that is renamed elsewhere', async () => {
    const { model, note, tell } = made('# A\n\none\n# Z');
    await model.load();
    await vi.waitFor(() => expect(model.outline).not.toBeNull());
    note.text = '# B\n\none\n# Z';
    tell();
    await vi.waitFor(() => expect([model.headingPath, model.text]).toEqual(['B', '# B\n\none']));
  });

  it.each([
    [507, 'write-failed', 'the disk is full: free some space', 'full'],
    [507, 'write-failed', 'this user may not write here', 'other'],
    [422, 'invalid-body', null, 'rejected'],
    [503, 'server-unreachable', null, 'offline']
  ])('keeps the text when the server answers %i %s (%s)', async (status, code, hint, kind) => {
    const { model, server } = made('# A');
    await model.load();
    server.on('PATCH', PATH, () => {
      throw new Refusal(status, { code, message: 'no', hint, details: {} });
    });
    model.type('# A\n\nmine');
    expect(await model.save()).toBe(false);
    expect([model.status, model.problem?.kind, model.text]).toEqual(['unsaved', kind, '# A\n\nmine']);
    expect(localStorage.length).toBe(1);
  });

  it('edits a whole note, and a vault that is read-only not at all', async () => {
    const { model, note, server } = made('---\nt: 1\n---\n# A\n', { headingPath: null });
    await model.load();
    expect(model.lines.start).toBe(1);
    model.type('---\nt: 2\n---\n# A\n');
    await model.save();
    expect(note.text).toBe('---\nt: 2\n---\n# A\n');
    server.on('PATCH', PATH, () => {
      throw new Refusal(403, { code: 'read-only', message: 'no', hint: null, details: {} });
    });
    model.type('other');
    await model.save();
    expect(model.status).toBe('readonly');
  });

  it('says why it cannot be opened, and tries again', async () => {
    const { model, note } = made('# Z');
    await model.load();
    expect([model.status, model.failure?.code]).toEqual(['failed', 'section-not-found']);
    note.text = '# A';
    let told = '';
    model.replaced.connect(() => (told = model.text));
    await model.load();
    expect([model.status, told]).toEqual(['clean', '# A']); // else an empty editor stands for the text
  });

  it('stores the last words when the page or the editor goes', async () => {
    const { model, open } = made('# A');
    await model.load();
    model.type('# A\n\nlast words');
    model.drafts.flush(); // the page goes
    const next = open();
    await next.load();
    expect(next.drafts.offered?.text).toBe('# A\n\nlast words');
    model.type('# A\n\nlast words of all');
    model.dispose();
    const third = open();
    await third.load();
    expect(third.drafts.offered?.text).toBe('# A\n\nlast words of all');
  });

  it('loses nothing that was typed before an earlier text was restored', async () => {
    const { model, open } = made('# A');
    await model.load();
    model.type('# A\n\nearlier');
    model.dispose();
    const next = open();
    await next.load();
    next.type('# A\n\nlater');
    next.restore();
    expect([next.text, next.drafts.offered?.text]).toEqual(['# A\n\nearlier', '# A\n\nlater']);
  });

  it.each(['# Z', ''])(
    'shows what was typed into a section that went while nobody looked (%j left)',
    async left => {
      const { model, note, open } = made('# A\n\none\n# Z');
      await model.load();
      model.type('# A\n\nmine');
      model.dispose();
      note.text = left;
      const next = open();
      await next.load();
      expect([next.status, next.failure, next.text, next.dirty]).toEqual(['gone', null, '# A\n\nmine', true]);
      expect(next.drafts.offered).toBeNull();
      expect(next.readAt).toBeGreaterThan(0);
      if (left) {
        await next.saveAsNew('A', '\nmine');
        expect(note.text).toBe('# Z\n# A\n\nmine');
        expect(localStorage.length).toBe(0);
      }
    }
  );

  it('saves what was typed during a save when that is asked for before its end', async () => {
    const { model, note } = made('# A');
    await model.load();
    const open = note.hold();
    model.type('# A\n\none');
    const first = model.save();
    model.type('# A\n\none and two');
    const [second, third] = [model.save(), model.save()];
    open();
    expect(await Promise.all([first, second, third])).toEqual([true, true, true]);
    expect([note.text, model.status]).toEqual(['# A\n\none and two', 'saved']);
  });

  it.each([
    ['goes', '# Z', 'gone'],
    ['is again what it was', '# A\n\none\n# Z', 'dirty']
  ])('keeps what was typed among the decisions where the section %s', async (_, text, status) => {
    const { model, note, tell, open } = made('# A\n\none\n# Z');
    await model.load();
    model.type('# A\n\nmine');
    note.text = '# A\n\ntheirs\n# Z';
    await model.save();
    const at = model.merge?.conflicts[0] ?? -1;
    model.merge?.type(at, 'ours, in other words\n');
    const other = open();
    model.drafts.now();
    await other.load();
    expect(other.drafts.offered?.text).toBe('# A\n\nours, in other words');
    note.text = text;
    tell();
    await vi.waitFor(() => expect([model.merge, model.status]).toEqual([null, status]));
    expect(model.text).toBe('# A\n\nours, in other words');
  });

  it('puts the text of a lost section below its parent, also where headings hold the sign between headings', async () => {
    const { server } = made('');
    const node = (heading_path: string, children: unknown[] = []) => ({
      heading_path,
      content_hash: '1',
      children
    });
    server.on('GET', 'vaults/v/outline', () => ({
      sections: [node('A > B', [node('A > B > D')]), node('Z')]
    }));
    server.on('PATCH', PATH, () => ({ heading_path: 'A > B > C' }));
    await insertAsNew(new Client(server.settings, 'v'), 'n.md', 'A > B > C', 'C', '');
    expect(server.asked.at(-1)?.body).toMatchObject({
      section: { heading_path: 'A > B' },
      operation: 'insert_child'
    });
  });
});
