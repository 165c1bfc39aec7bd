import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { Commands } from '../../src/commands';
import { NoteModel } from '../../src/model/note';
import { KnowledgeBase } from '../../src/model/session';
import { Host } from '../../src/panels/note/host';
import { NoteLayout } from '../../src/panels/note/layout';
import { NoteView } from '../../src/panels/note/panel';
import type { INavigator, Place } from '../../src/tokens';
import { FakeServer } from '../server';

const OUTLINE = {
  file: 'x/a.md',
  title: 'Alpha',
  version: '1',
  front_matter: { title: 'Alpha', tags: ['one', 'two/three'], source: 'https://example.org/p', done: true },
  diagnostics: [],
  sections: [
    {
      heading: 'Alpha',
      level: 1,
      heading_path: 'Alpha',
      line_range: { start: 5, end: 20 },
      size: 9,
      content_hash: 'h1',
      own_hash: 'h1',
      children: [
        {
          heading: 'Beta',
          level: 2,
          heading_path: 'Alpha > Beta',
          line_range: { start: 9, end: 20 },
          size: 9,
          content_hash: 'h2',
          own_hash: 'h2',
          children: []
        }
      ]
    }
  ]
};
const SOURCE = {
  file: 'x/a.md',
  heading_path: 'Alpha',
  byte_range: { start: 0, end: 9 },
  line_range: { start: 5, end: 20 },
  content_hash: 'h1'
};
const BROKEN = {
  source: SOURCE,
  line: 7,
  raw_target: 'gone',
  kind: 'wikilink',
  status: 'missing',
  target: null,
  candidates: [],
  context: 'See [[gone]].',
  reason: null
};

interface Shown {
  host: Host;
  log: unknown[];
  user: ReturnType<typeof userEvent.setup>;
}

async function shown(
  options: { file?: string | null; commands?: string[]; missing?: boolean } = {}
): Promise<Shown> {
  const vault = { name: 'v', root: '/v', is_default: true, ready: true, problem: null, contents_path: '' };
  const server = new FakeServer()
    .on('GET', 'vaults', () => ({ vaults: [vault] }))
    .on('GET', 'vaults/v/status', () => ({ vault: 'v', notes: 2 }))
    .on('GET', 'vaults/v/outline', () => OUTLINE)
    .on('GET', 'vaults/v/section', () => ({ content: '# Alpha\n\nwords', content_hash: 'h1' }))
    .on('GET', 'vaults/v/links', ({ query }) =>
      query.get('direction') === 'out' ? { links: [BROKEN], total: 1 } : { links: [], total: 0 }
    )
    .on('POST', 'vaults/v/resolve', () => ({
      targets: [
        {
          raw_target: 'gone',
          status: 'missing',
          target: null,
          candidates: [],
          reason: '',
          suggestions: ['bone']
        }
      ]
    }))
    .on('GET', 'vaults/v/mentions', () => ({ mentions: [], total: 0, more: false }));
  const kb = new KnowledgeBase(
    options.missing ? new FakeServer().settings : server.settings,
    new Signal<object, never>({}) as never,
    nullTranslator.load('jupyter_kb')
  );
  await kb.refresh();
  const log: unknown[] = [];
  const current: Place | null = options.file === null ? null : { file: 'x/a.md', line: 10 };
  const navigator = {
    current,
    open: async (place: Place) => void log.push(['open', place]),
    currentChanged: new Signal<object, Place | null>({})
  } as unknown as INavigator;
  const commands = new CommandRegistry();
  for (const id of options.commands ?? [Commands.search, Commands.createNote]) {
    commands.addCommand(id, { execute: args => void log.push([id, args]) });
  }
  const model = new NoteModel(kb, navigator);
  const host = new Host(kb, model, new NoteLayout(null), commands, navigator);
  model.seen(true);
  render(<NoteView host={host} />);
  return { host, log, user: userEvent.setup() };
}

describe('the note panel', () => {
  it('says what it is for while no note is open', async () => {
    const { log, user } = await shown({ file: null });
    expect(screen.getByRole('heading', { name: 'Open a note to see its links' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Search notes' }));
    expect(log).toEqual([[Commands.search, {}]]);
  });

  it('says that the server part is missing', async () => {
    await shown({ missing: true });
    expect(screen.getByRole('heading', { name: 'The server part is not running' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Check again' })).toBeTruthy();
  });

  it('shows the outline, and goes to a heading by its line', async () => {
    const { log, user } = await shown();
    const beta = await screen.findByRole('treeitem', { name: 'Beta' });
    expect(beta.getAttribute('aria-current')).toBe('true');
    await user.click(beta);
    await user.click(beta);
    const place = { file: 'x/a.md', headingPath: 'Alpha > Beta', line: 9 };
    expect(log).toEqual([
      ['open', place],
      ['open', place]
    ]);
  });

  it('keeps a section without anything closed, and opens it by hand', async () => {
    const { user } = await shown();
    const title = await screen.findByRole('button', { name: 'Linked from 0' });
    expect(title.getAttribute('aria-expanded')).toBe('false');
    await user.click(title);
    expect(screen.getByText('No note links here yet. Type [[ in another note to make a link.')).toBeTruthy();
  });

  it('offers what can be done about a broken link', async () => {
    const { log, user } = await shown();
    const broken = await screen.findByRole('region', { name: 'Broken links' });
    await within(broken).findByRole('button', { name: 'Link to “bone” instead' });
    expect(within(broken).getByText('line 7')).toBeTruthy();
    await user.click(within(broken).getByRole('button', { name: 'Create note' }));
    expect(log).toEqual([[Commands.createNote, { name: 'gone', folder: 'x' }]]);
  });

  it('offers no command that is not there', async () => {
    await shown({ commands: [] });
    const broken = await screen.findByRole('region', { name: 'Broken links' });
    await within(broken).findByRole('button', { name: 'Link to “bone” instead' });
    expect(within(broken).queryByRole('button', { name: 'Create note' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Open graph' })).toBeNull();
  });

  it('leads from a tag to a search', async () => {
    const { log, user } = await shown();
    await user.click(await screen.findByRole('button', { name: '#two/three' }));
    expect(log).toEqual([[Commands.search, { query: 'tag:two/three' }]]);
    const terms = screen.getAllByRole('term').map(term => term.textContent);
    expect(terms).toEqual(['Tags', 'Source', 'Done']);
    expect(screen.getByRole('link', { name: 'example.org/p' }).getAttribute('target')).toBe('_blank');
  });

  it('looks for mentions once their section is opened', async () => {
    const { user } = await shown();
    await user.click(await screen.findByRole('button', { name: 'Mentioned without a link' }));
    expect(await screen.findByText('No other note mentions this name.')).toBeTruthy();
  });

  it('moves a section through the command, with the hash of what is shown', async () => {
    const { log, user, host } = await shown({ commands: [Commands.move] });
    const beta = await screen.findByRole('treeitem', { name: 'Beta' });
    act(() => beta.focus());
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    expect(log).toEqual([
      [Commands.move, { file: 'x/a.md', headingPath: 'Alpha > Beta', hash: 'h2', by: -1 }]
    ]);
    host.model.dispose();
  });
});
