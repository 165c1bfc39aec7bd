import { CommandRegistry } from '@lumino/commands';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import { Commands } from '../../src/commands';
import { RecentSearches } from '../../src/model/recent';
import { SearchModel } from '../../src/model/search';
import { SearchView } from '../../src/panels/search/panel';
import type { INavigator, OpenOptions, Place } from '../../src/tokens';
import type { FakeServer } from '../server';
import { FakeServer as Server } from '../server';
import { answer, hit, opened, STATUS, vaultServer } from '../vault';

const HITS = [
  hit('papers/Attention.md', 'Why'),
  hit('papers/Attention.md', 'Example'),
  hit('papers/Attention.md', 'Temperature', { meaning: true, marks: [] }),
  hit('papers/Attention.md', 'History'),
  hit('lab/Log.md', 'Loss')
];

interface Shown {
  model: SearchModel;
  log: string[];
  field: HTMLInputElement;
}

async function shown(server: FakeServer, ...commands: string[]): Promise<Shown> {
  const { kb } = await opened(server);
  const log: string[] = [];
  const registry = new CommandRegistry();
  for (const id of commands) {
    registry.addCommand(id, { execute: args => log.push(`${id} ${JSON.stringify(args)}`) });
  }
  const navigator = {
    open: (place: Place, options?: OpenOptions) => {
      log.push(`${options?.how} ${place.file}#${place.headingPath} ${options?.marks?.join()}`);
      return Promise.resolve();
    }
  } as INavigator;
  const model = new SearchModel(kb, new RecentSearches(null));
  const field = (): HTMLInputElement => screen.getByRole('searchbox', { name: 'Search notes' });
  render(
    <div className="jp-kb-search">
      <SearchView
        kb={kb}
        model={model}
        commands={registry}
        navigator={navigator}
        toField={() => field().focus()}
        toList={() =>
          document
            .querySelector<HTMLElement>('[role=treeitem][tabindex="0"], .jp-kb-search-idle button')
            ?.focus()
        }
        back={() => log.push('back')}
      />
    </div>
  );
  act(() => model.show());
  return { model, log, field: field() };
}

const finding = (hits = HITS): FakeServer =>
  vaultServer().on('POST', 'vaults/lab/search', () => answer(hits));

describe('the search panel', () => {
  it('finds what is typed and opens it with keys alone', async () => {
    const { log, field } = await shown(finding(), Commands.edit);
    const user = userEvent.setup();
    await user.click(field);
    await user.keyboard('lamp{Enter}');
    expect(await screen.findByText('5 sections in 2 notes', { selector: '[aria-hidden]' })).toBeTruthy();
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Attention, papers, 4 sections');
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
    expect(document.activeElement?.getAttribute('aria-label')).toBe(
      'Attention, Temperature, about Temperature, found by meaning'
    );
    await user.keyboard('{ArrowUp}{Enter} {Control>}{Enter}{/Control}e');
    const place = 'papers/Attention.md#Attention > Example about';
    expect(log).toEqual([
      `open ${place}`,
      `peek ${place}`,
      `beside ${place}`,
      'jupyter-kb:edit-section {"file":"papers/Attention.md","headingPath":"Attention > Example"}'
    ]);
    await user.keyboard('s');
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe('lamps');
  });

  it('shows the rest of a note when it is asked to, and goes on there', async () => {
    const { model } = await shown(finding());
    act(() => model.ask('lamp'));
    const user = userEvent.setup();
    await user.click(await screen.findByRole('treeitem', { name: 'Show 1 more of Attention' }));
    const row = screen.getByRole('treeitem', { name: /History/ });
    expect(row.getAttribute('aria-selected')).toBe('true');
    await user.click(screen.getByRole('button', { name: 'Collapse all' }));
    expect(screen.getAllByRole('treeitem').map(item => item.getAttribute('aria-expanded'))).toEqual([
      'false',
      'false'
    ]);
  });

  it('clears with Escape, and with the next one goes back', async () => {
    const { log, field, model } = await shown(finding());
    const user = userEvent.setup();
    await user.type(field, 'lamp');
    await user.keyboard('{Escape}');
    expect([field.value, log]).toEqual(['', []]);
    expect(model.found).toBeNull();
    await user.keyboard('{Escape}');
    expect(log).toEqual(['back']);
  });

  it('adds a filter from its menu and removes it with Delete', async () => {
    const { model, field } = await shown(finding());
    const user = userEvent.setup();
    await user.type(field, 'lamp');
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    const picker = screen.getByRole('dialog', { name: 'Add a filter' });
    await user.click(within(picker).getByRole('radio', { name: 'Leave out' }));
    await user.click(within(picker).getByRole('combobox'));
    await user.keyboard('logs{Enter}');
    expect(model.filters).toEqual([{ kind: 'folder', folder: 'lab/logs', not: true }]);
    act(() => model.addFilter({ kind: 'tag', tag: 'todo' }));
    const chip = screen.getByRole('button', { name: 'Remove filter not in lab/logs' });
    act(() => chip.focus());
    await user.keyboard('{ArrowRight}');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove filter #todo');
    await user.keyboard('{ArrowLeft}{Delete}');
    expect(model.filters).toEqual([{ kind: 'tag', tag: 'todo' }]);
  });

  it('changes the way to search with Alt+M', async () => {
    const { field, model } = await shown(finding());
    fireEvent.keyDown(field, { key: 'm', code: 'KeyM', altKey: true });
    expect(model.mode).toBe('text');
    expect(screen.getByRole('radio', { name: 'Text' }).getAttribute('aria-checked')).toBe('true');
  });

  it('teaches what to do where nothing matches', async () => {
    const { model, log } = await shown(finding([]), Commands.createNote);
    act(() => {
      model.setFilters([
        { kind: 'folder', folder: 'papers' },
        { kind: 'tag', tag: 'todo' }
      ]);
      model.ask('flux tuning', 'text');
    });
    expect(await screen.findByText('Nothing matches')).toBeTruthy();
    expect(
      screen.getByText('No note has any of these words, in the folder “papers”, with the tag #todo.')
    ).toBeTruthy();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Create note “flux tuning”' }));
    expect(log).toEqual(['jupyter-kb:create-note {"name":"flux tuning","folder":"papers"}']);
    await user.click(screen.getByRole('button', { name: /^Remove both filters/ }));
    expect(model.filters).toEqual([]);
    await user.click(await screen.findByRole('button', { name: 'Search by meaning' }));
    expect(model.mode).toBe('semantic');
    expect(await screen.findByText('Nothing close enough')).toBeTruthy();
  });

  it('offers the last searches and the folders', async () => {
    const { model } = await shown(finding());
    const user = userEvent.setup();
    act(() => model.recent.add('old question'));
    await user.click(screen.getByRole('button', { name: 'old question' }));
    expect(model.query).toBe('old question');
    act(() => model.type(''));
    await user.click(await screen.findByRole('button', { name: /papers/ }));
    expect(model.filters).toEqual([{ kind: 'folder', folder: 'papers' }]);
  });

  it('says how far search by meaning is, and pauses it', async () => {
    const server = finding()
      .on('GET', 'vaults/lab/status', () => ({
        ...STATUS,
        model: { ...STATUS.model, embedded: 62, chunks: 100, paused: false, seconds_left: 180 }
      }))
      .on('POST', 'vaults/lab/embedding', () => ({}));
    await shown(server);
    expect(screen.getByText('Preparing meaning search')).toBeTruthy();
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('62');
    expect(
      screen.getByText(/^62 of 100 passages, about 3 min left\. Text results are complete/)
    ).toBeTruthy();
    expect(screen.getByRole('radio', { name: 'Meaning, Still being prepared' })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    await waitFor(() =>
      expect(server.asked.find(asked => asked.path === 'vaults/lab/embedding')?.body).toEqual({
        paused: true
      })
    );
  });

  it('says that the model could not be loaded, and lets words do', async () => {
    const { model } = await shown(
      finding().on('GET', 'vaults/lab/status', () => ({
        ...STATUS,
        model: { ...STATUS.model, embedded: 0, problem: 'not found', hint: 'install it' }
      }))
    );
    expect(screen.getByText('Meaning search is off')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Use text only' }));
    expect(model.mode).toBe('text');
    expect(screen.queryByText('Meaning search is off')).toBeNull();
  });

  it('says that notes are still being read', async () => {
    await shown(finding().on('GET', 'vaults/lab/status', () => ({ ...STATUS, indexing: [340, 1310] })));
    expect(screen.getByText('Reading notes: 340 of 1,310. Results cover what has been read.')).toBeTruthy();
  });

  it('says that the server part is of another version', async () => {
    await shown(finding().on('GET', '/kb/api', () => ({ name: 'jupyter-kb', version: '9.2.0' })));
    expect(await screen.findByText(/^The server part is version 9\.2\.0, this page needs \d/)).toBeTruthy();
  });

  it('says how to get the server part where it is missing', async () => {
    const { field } = await shown(new Server());
    expect(screen.getByRole('alert').textContent).toContain('The server part is not running');
    expect(screen.getByText('jupyter server extension enable jupyter_kb')).toBeTruthy();
    expect([field.disabled, field.placeholder]).toEqual([true, 'Search is not available']);
  });

  it('asks for a folder where there is none', async () => {
    const { log } = await shown(
      new Server().on('GET', 'vaults', () => ({ vaults: [] })),
      Commands.chooseVault
    );
    expect(screen.getByText('Choose your notes folder')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Choose folder…' }));
    expect(log).toHaveLength(1);
  });
});

describe('a long list', () => {
  it('is drawn in part', async () => {
    const many = Array.from({ length: 300 }, (_, number) => hit(`n${number}.md`, 'One'));
    const { model } = await shown(finding(many));
    act(() => model.ask('lamp'));
    await waitFor(() => expect(model.found?.hits).toHaveLength(300));
    const rows = screen.getAllByRole('treeitem');
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThan(100);
    act(() => model.select('n299.md'));
    expect(screen.getByRole('treeitem', { name: /^n299/ })).toBeTruthy();
  });
});
