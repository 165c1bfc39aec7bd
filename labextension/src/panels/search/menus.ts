// The menus of the search panel.
import { addIcon, collapseAllIcon, refreshIcon, settingsIcon } from '@jupyterlab/ui-components';

import { Commands } from '../../commands';
import { type Sort, SORTS } from '../../model/query';
import { wordsOf } from '../../model/results';
import type { Hit } from '../../api/types';
import { graphIcon } from '../../ui/icons';
import { type MenuEntry, openMenu } from '../../ui/menu';
import type { SearchContext } from './context';

export function moreMenu(shared: SearchContext, at: Element, refresh: () => void): Promise<void> {
  const { kb, model, commands, narrow } = shared;
  const { trans } = kb;
  const entries: MenuEntry[] = [];
  if (narrow) {
    if (commands.hasCommand(Commands.createNote)) {
      entries.push({
        label: trans.__('New Note…'),
        icon: addIcon,
        disabled: kb.state !== 'ready',
        run: () => void commands.execute(Commands.createNote)
      });
    }
    entries.push({ label: trans.__('Refresh'), icon: refreshIcon, run: refresh }, 'separator');
  }
  if (kb.vaults.length > 1) {
    entries.push(
      ...kb.vaults.map(vault => ({
        label: vault.name,
        hint: vault.root,
        checked: vault.name === kb.vault?.name,
        run: () => kb.choose(vault.name)
      })),
      'separator'
    );
  }
  const groups = model.found?.groups ?? [];
  const open = groups.some(group => !model.folding.folded.has(group.file));
  entries.push({
    label: open || !groups.length ? trans.__('Collapse All') : trans.__('Expand All'),
    icon: collapseAllIcon,
    disabled: !groups.length,
    run: () => model.foldAll(open)
  });
  const more: [string, string][] = [
    [Commands.wholeGraph, trans.__('Graph of All Notes')],
    [Commands.diagnostics, trans.__('Diagnostics')]
  ];
  for (const [id, label] of more) {
    if (commands.hasCommand(id)) {
      entries.push({ label, disabled: kb.state !== 'ready', run: () => void commands.execute(id) });
    }
  }
  if (commands.hasCommand('settingeditor:open')) {
    entries.push('separator', {
      label: trans.__('Settings…'),
      icon: settingsIcon,
      run: () => void commands.execute('settingeditor:open', { query: 'Knowledge base' })
    });
  }
  return openMenu(entries, at);
}

export function sortName(sort: Sort, { kb }: SearchContext): string {
  return {
    rank: kb.trans.__('best match'),
    modified: kb.trans.__('recently edited'),
    title: kb.trans.__('title'),
    folder: kb.trans.__('folder')
  }[sort];
}

export function sortMenu(shared: SearchContext, at: Element): Promise<void> {
  const { model } = shared;
  const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
  return openMenu(
    SORTS.map(sort => ({
      label: capital(sortName(sort, shared)),
      checked: sort === model.sort,
      run: () => model.setSort(sort)
    })),
    at
  );
}

/** Open a hit: in front, in the peek tab, beside, or in the section editor. */
export function activate(
  shared: SearchContext,
  hit: Hit,
  how: 'open' | 'peek' | 'beside' | 'edit'
): Promise<unknown> {
  const { model, commands, navigator } = shared;
  const place = { file: hit.file, headingPath: hit.heading_path || null };
  model.open(hit);
  if (how === 'edit' && commands.hasCommand(Commands.edit)) {
    return commands.execute(Commands.edit, place);
  }
  return navigator.open(place, { how: how === 'edit' ? 'open' : how, marks: wordsOf(hit) });
}

export function hitMenu(shared: SearchContext, hit: Hit, x: number, y: number): Promise<void> {
  const { kb, commands } = shared;
  const { trans } = kb;
  const place = { file: hit.file, headingPath: hit.heading_path || null };
  const entries: MenuEntry[] = [
    { label: trans.__('Open'), run: () => void activate(shared, hit, 'open') },
    { label: trans.__('Open Beside'), run: () => void activate(shared, hit, 'beside') }
  ];
  if (commands.hasCommand(Commands.edit)) {
    entries.push({ label: trans.__('Edit Section'), run: () => void activate(shared, hit, 'edit') });
  }
  if (commands.hasCommand(Commands.copyLink)) {
    entries.push('separator', {
      label: trans.__('Copy Link'),
      run: () => void commands.execute(Commands.copyLink, place)
    });
  }
  if (commands.hasCommand(Commands.graph)) {
    entries.push({
      label: trans.__('Show in Graph'),
      icon: graphIcon,
      run: () => void commands.execute(Commands.graph, { file: hit.file })
    });
  }
  return openMenu(entries, { x, y });
}
