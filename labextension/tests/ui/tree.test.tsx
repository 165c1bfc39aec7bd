import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';

import { Tree, type TreeRow } from '../../src/ui/tree';

const ROWS: TreeRow[] = [
  { id: 'a', level: 1, name: 'A', expanded: true },
  { id: 'a1', level: 2, name: 'A1' },
  { id: 'b', level: 1, name: 'B', expanded: false },
  { id: 'c', level: 1, name: 'C' }
];

function Sample({ log }: { log: string[] }): JSX.Element {
  const [selected, select] = useState<string | null>(null);
  return (
    <Tree
      label="Sample"
      rows={ROWS}
      render={row => <span>{row.name}</span>}
      selected={selected}
      onSelect={select}
      onActivate={(row, how) => log.push(`${how} ${row.id}`)}
      onToggle={(row, open) => log.push(`${open ? 'unfold' : 'fold'} ${row.id}`)}
      onType={key => log.push(`type ${key}`)}
      onMove={(row, by) => log.push(`move ${row.id} ${by}`)}
    />
  );
}

describe('a tree', () => {
  it('moves one focus with the arrows and opens, peeks and edits with keys', async () => {
    const log: string[] = [];
    render(<Sample log={log} />);
    const user = userEvent.setup();
    await user.tab();
    expect(screen.getByRole('treeitem', { name: 'A' })).toBe(document.activeElement);
    await user.keyboard('{ArrowDown}');
    expect(screen.getByRole('treeitem', { name: 'A1' })).toBe(document.activeElement);
    await user.keyboard('{Enter} {Control>}{Enter}{/Control}ex{Alt>}{ArrowUp}{/Alt}');
    expect(log).toEqual(['open a1', 'peek a1', 'beside a1', 'edit a1', 'type x', 'move a1 -1']);
    await user.keyboard('{End}');
    expect(screen.getByRole('treeitem', { name: 'C' })).toBe(document.activeElement);
    await user.tab();
    expect(document.activeElement).toBe(document.body);
  });

  it('folds, unfolds and goes to the parent with left and right', async () => {
    const log: string[] = [];
    render(<Sample log={log} />);
    const user = userEvent.setup();
    await user.tab();
    await user.keyboard('{ArrowRight}{ArrowLeft}{ArrowLeft}');
    expect(screen.getByRole('treeitem', { name: 'A' })).toBe(document.activeElement);
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowRight}');
    expect(log).toEqual(['fold a', 'unfold b']);
  });

  it('opens by a click and folds by a click on the caret only', async () => {
    const log: string[] = [];
    render(<Sample log={log} />);
    await userEvent.click(screen.getByText('B'));
    expect(log).toEqual(['open b']);
  });
});
