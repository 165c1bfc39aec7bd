import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Client } from '../../src/api/client';
import { Drafts } from '../../src/model/draft';
import { Merge } from '../../src/model/merge';
import { SectionModel } from '../../src/model/section';
import type { Actions } from '../../src/panels/editor/actions';
import { Failed } from '../../src/panels/editor/failed';
import { Head } from '../../src/panels/editor/head';
import { Layout } from '../../src/panels/editor/layout';
import { across } from '../../src/panels/editor/scroll';
import { ConflictBar } from '../../src/panels/merge/bar';
import { NoteOnServer } from '../note';
import { FakeServer, Refusal } from '../server';

const trans = nullTranslator.load('jupyter_kb');

beforeEach(() => localStorage.clear());
afterEach(() => localStorage.clear());

async function shown(text: string) {
  const server = new FakeServer();
  const note = new NoteOnServer(server, text);
  const model = new SectionModel({
    client: new Client(server.settings, 'v'),
    events: new Signal({}),
    drafts: new Drafts(() => localStorage, 'v'),
    file: 'n.md',
    headingPath: 'A'
  });
  await model.load();
  const layout = new Layout();
  const actions = {
    model,
    trail: () => [{ heading: 'A', headingPath: 'A' }],
    has: () => false,
    keys: () => 'Ctrl+S',
    save: () => model.save()
  } as unknown as Actions;
  render(<Head model={model} layout={layout} actions={actions} trans={trans} />);
  return { server, note, model, layout };
}

describe('in the place of the text', () => {
  it('stands that several sections have the name, where which one is meant cannot be told', async () => {
    const server = new FakeServer().on('GET', 'vaults/v/section', () => {
      throw new Refusal(409, { code: 'ambiguous-section', message: 'names 2', hint: null, details: {} });
    });
    const model = new SectionModel({
      client: new Client(server.settings, 'v'),
      events: new Signal({}),
      drafts: new Drafts(() => localStorage, 'v'),
      file: 'n.md',
      headingPath: 'A > B'
    });
    await model.load();
    render(<Failed model={model} trans={trans} />);
    expect(screen.getByText('Several sections of the note have this name')).toBeTruthy();
  });
});

describe('above the text', () => {
  it('stand the place in the note, the state and the version', async () => {
    const { model, note } = await shown('# A\n\none');
    expect(screen.getByRole('navigation', { name: 'Place in the note' }).textContent).toContain('n.md');
    expect(screen.getByRole('status').textContent).toBe('Up to date');
    expect(screen.getByTitle('Version the edit started from').textContent).toBe(note.hash.slice(0, 7));
    const save = screen.getByRole('button', { name: 'Save' }) as HTMLButtonElement;
    expect(save.disabled).toBe(true);
    act(() => model.type('# A\n\ntwo'));
    expect(screen.getByRole('status').textContent).toBe('Unsaved changes');
    await act(async () => userEvent.click(save));
    expect(screen.getByRole('status').textContent).toMatch(/^Saved \d\d:\d\d$/);
    expect(note.text).toBe('# A\n\ntwo');
  });

  it('says what a failed save means and tries again', async () => {
    const { model, server, note } = await shown('# A');
    act(() => model.type('# A\n\nmine'));
    server.on('PATCH', 'vaults/v/section', () => {
      throw new Refusal(507, { code: 'write-failed', message: 'no', hint: 'the disk is full', details: {} });
    });
    await act(async () => void (await model.save()));
    expect(screen.getByRole('alert').textContent).toContain('The disk is full');
    new NoteOnServer(server, note.text);
    await act(async () => userEvent.click(screen.getByRole('button', { name: 'Try again' })));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('folds labels and leaves the split out where there is no room', async () => {
    const { layout } = await shown('# A');
    expect(screen.getAllByRole('radio').map(radio => radio.textContent)).toEqual([
      'Source',
      'Split',
      'Preview'
    ]);
    act(() => (layout.width = 500));
    expect(screen.getAllByRole('radio').map(radio => radio.textContent)).toEqual(['Source', 'Preview']);
    expect(layout.shown).toBe('source');
    expect(screen.getByRole('button', { name: 'Save' }).textContent).toBe('');
    act(() => layout.cycle());
    expect(layout.shown).toBe('preview');
  });
});

describe('the bar above a difference', () => {
  it('is decided by keys and by its switch, and says what was decided', async () => {
    const merge = new Merge('mine', 'base', 'theirs');
    render(<ConflictBar merge={merge} index={0} trans={trans} />);
    const bar = screen.getByRole('group', { name: 'Difference 1 of 1, not decided yet' });
    bar.focus();
    await userEvent.keyboard('b');
    expect([merge.text, bar.textContent]).toEqual([
      'mine\ntheirs',
      'Difference 1 of 1decided: mine, then theirsMineTheirsBoth'
    ]);
    await userEvent.click(screen.getByRole('radio', { name: 'Theirs' }));
    expect(merge.text).toBe('theirs');
  });
});

describe('scrolling together', () => {
  it('goes between the blocks in proportion', () => {
    const points = [
      [0, 0],
      [100, 300],
      [200, 320]
    ] as const;
    expect([0, 50, 100, 150, 200, 230].map(at => across(points, at, 0))).toEqual([
      0, 150, 300, 310, 320, 350
    ]);
    expect(across(points, 310, 1)).toBe(150);
  });
});
