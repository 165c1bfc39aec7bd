// The graph as a tree of rows, for screen readers, narrow panels and whoever prefers to read.
import { folderIcon } from '@jupyterlab/ui-components';
import { useState } from 'react';

import { type ListRow, listRows, MISSING } from '../../model/graphList';
import { Caret } from '../../ui/controls';
import { brokenLinkIcon, meaningIcon, noteIcon } from '../../ui/icons';
import { amount, languageOf } from '../../ui/text';
import { Tree } from '../../ui/tree';
import { type GraphContext, openNodeMenu, openNote } from './context';

export function List({ context }: { context: GraphContext }): JSX.Element {
  const { kb, model } = context;
  const { trans } = kb;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | null>(null);
  const toggle = (id: string): void => {
    const next = new Set(toggled);
    if (!next.delete(id)) {
      next.add(id);
    }
    setToggled(next);
  };
  const rows = listRows(model, toggled).map(row => ({ ...row, name: spoken(row) }));
  function spoken(row: ListRow): string {
    const { node } = row;
    if (row.more !== undefined) {
      return trans.__('Show %1 more', amount(row.more));
    }
    if (!node) {
      return trans._n('%2, %1 note', '%2, %1 notes', row.count ?? 0, nameOf(row));
    }
    const links = trans._n('%1 link', '%1 links', node.degree);
    return [
      node.title,
      node.missing ? trans.__('missing note') : node.folder,
      node.similar ? trans.__('similar meaning') : links
    ]
      .filter(Boolean)
      .join(', ');
  }
  function nameOf(row: ListRow): string {
    return row.folder === MISSING ? trans.__('Missing notes') : row.folder || trans.__('Top folder');
  }
  return (
    <Tree
      label={trans.__('Notes of the graph')}
      className="jp-kb-graph-list"
      rows={rows}
      selected={focused ?? model.selected ?? model.centre.file}
      onSelect={id => {
        setFocused(id);
        model.select(model.picture.nodes.has(id) ? id : null);
      }}
      onToggle={row => toggle(row.id)}
      onActivate={(row, how) => {
        if (!row.node) {
          toggle(row.id);
        } else if (how !== 'edit') {
          openNote(context, row.id, how);
        }
      }}
      onMenu={(row, x, y) => {
        if (row.node) {
          openNodeMenu(context, row.id, x, y);
        }
      }}
      render={row => {
        const { node } = row;
        const Icon = (
          node ? (node.missing ? brokenLinkIcon : node.similar ? meaningIcon : noteIcon) : folderIcon
        ).react;
        const title = node ? node.title : row.more === undefined ? nameOf(row) : row.name;
        return (
          <div className="jp-kb-graph-row" style={{ paddingLeft: 12 + (row.level - 1) * 16 }}>
            {row.expanded === undefined ? <span className="jp-kb-icon" /> : <Caret open={row.expanded} />}
            <Icon tag="span" className="jp-kb-icon jp-kb-dim" />
            <span
              className={`jp-kb-cut ${node?.missing ? 'jp-kb-graph-missing' : ''}`}
              lang={languageOf(title)}
              title={title}
            >
              {title}
            </span>
            <span className="jp-kb-tiny jp-kb-dim jp-kb-cut">{node?.folder}</span>
            <span className="jp-kb-fill" />
            <span className="jp-kb-count">
              {node
                ? node.similar
                  ? trans.__('similar meaning')
                  : amount(node.degree)
                : row.count && amount(row.count)}
            </span>
          </div>
        );
      }}
    />
  );
}
