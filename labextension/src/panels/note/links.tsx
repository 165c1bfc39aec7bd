// Lists of places by note, as trees: what links here, what is linked from here, where the note is mentioned.
import { type ReactNode, useState } from 'react';

import type { LinkGroup, LinkRow } from '../../model/linkList';
import { Caret, Count, LinkButton } from '../../ui/controls';
import { openMenu } from '../../ui/menu';
import { amount, breadcrumb, languageOf, Marked } from '../../ui/text';
import { Tree, type TreeRow } from '../../ui/tree';
import { sortIcon } from '../../ui/icons';
import { IconButton } from '../../ui/controls';
import { Section } from './accordion';
import type { Host } from './host';

/** Notes that are shown before "Show more". */
const FIRST = 3;

type Row = TreeRow & { group: LinkGroup; link: LinkRow | null };

export interface LinkTreeProps {
  host: Host;
  label: string;
  groups: readonly LinkGroup[];
  /** All rows of the first notes only; the rest on demand. */
  first?: number;
  /** There are more on the server. */
  more?: boolean;
  onMore?: () => void;
  /** A control in the row of a place. */
  control?: (link: LinkRow) => ReactNode;
  /** Open the note of a group where it begins, and not at its first row. */
  opensNote?: boolean;
}

export function LinkTree(props: LinkTreeProps): JSX.Element {
  const { host, groups, first = FIRST } = props;
  const { trans } = host.kb;
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const shown = all ? groups : groups.slice(0, first);
  const hidden = groups.length - shown.length;
  const rows: Row[] = shown.flatMap(group => {
    const open = !folded.has(group.file);
    const head: Row = {
      id: group.file,
      level: 1,
      name: `${group.title}, ${trans._n('%1 link', '%1 links', group.rows.length)}`,
      expanded: open,
      group,
      link: null
    };
    const below = group.rows.map(link => ({
      id: link.id,
      level: 2,
      name: `${breadcrumb(link.headingPath ?? '')}: ${link.text}`,
      group,
      link
    }));
    return open ? [head, ...below] : [head];
  });
  const toggle = (ids: readonly string[], open: boolean): void => {
    const next = new Set(folded);
    ids.forEach(id => (open ? next.delete(id) : next.add(id)));
    setFolded(next);
  };
  return (
    <>
      <Tree
        label={props.label}
        className="jp-kb-links"
        rows={rows}
        selected={chosen}
        onSelect={choose}
        onToggle={(row, open) => toggle([row.id], open)}
        onOpenSiblings={() =>
          toggle(
            groups.map(group => group.file),
            true
          )
        }
        onActivate={(row, how) => {
          const link = row.link ?? row.group.rows[0];
          if (!row.link && props.opensNote) {
            host.go({ file: row.group.file }, how);
          } else if (link) {
            host.go({ file: link.file, line: link.line }, how, link.words);
          }
        }}
        render={row =>
          row.link ? (
            <PlaceRow link={row.link} control={props.control} />
          ) : (
            <GroupRow group={row.group} open={row.expanded === true} />
          )
        }
      />
      {(hidden > 0 || props.more) && (
        <p className="jp-kb-links-more">
          <LinkButton
            onClick={() => {
              setAll(true);
              if (hidden === 0) {
                props.onMore?.();
              }
            }}
          >
            {hidden > 0
              ? trans._n('Show %2 more note', 'Show %2 more notes', hidden, amount(hidden))
              : trans.__('Show more')}
          </LinkButton>
        </p>
      )}
    </>
  );
}

function GroupRow({ group, open }: { group: LinkGroup; open: boolean }): JSX.Element {
  return (
    <div className="jp-kb-links-note" title={group.file}>
      <Caret open={open} />
      <span className="jp-kb-links-title jp-kb-cut" lang={languageOf(group.title)}>
        {group.title}
      </span>
      <span className="jp-kb-links-folder jp-kb-tiny jp-kb-dim jp-kb-cut">{group.folder}</span>
      <span className="jp-kb-fill" />
      <Count>{amount(group.rows.length)}</Count>
    </div>
  );
}

function PlaceRow({
  link,
  control
}: {
  link: LinkRow;
  control: ((link: LinkRow) => ReactNode) | undefined;
}): JSX.Element {
  const path = breadcrumb(link.headingPath ?? '');
  return (
    <div className="jp-kb-links-place">
      <div className="jp-kb-tiny jp-kb-dim jp-kb-cut" lang={languageOf(path)} title={path}>
        {path}
      </div>
      <div className="jp-kb-links-text">
        <Marked text={link.text} marks={link.marks} />
      </div>
      {control?.(link)}
    </div>
  );
}

export function IncomingSection({ host }: { host: Host }): JSX.Element {
  const { model, kb } = host;
  const { trans } = kb;
  const total = model.incomingTotal;
  const title = trans.__('Linked from');
  const sorted = model.order === 'modified' ? trans.__('Sort: recently edited') : trans.__('Sort: title');
  const actions = total ? (
    <span className="jp-kb-tools">
      <IconButton
        icon={sortIcon}
        label={sorted}
        menu
        onClick={event =>
          void openMenu(
            [
              {
                label: trans.__('Recently edited'),
                checked: model.order === 'modified',
                run: () => model.sort('modified')
              },
              { label: trans.__('Title'), checked: model.order === 'title', run: () => model.sort('title') }
            ],
            event.currentTarget
          )
        }
      />
    </span>
  ) : null;
  return (
    <Section host={host} id="incoming" title={title} count={total} actions={actions}>
      {total === 0 ? (
        <p className="jp-kb-note-empty">
          {trans.__('No note links here yet. Type [[ in another note to make a link.')}
        </p>
      ) : (
        <LinkTree
          key={model.file}
          host={host}
          label={title}
          groups={model.incoming}
          more={model.moreIncoming}
          onMore={() => void model.loadMoreIncoming()}
        />
      )}
    </Section>
  );
}

export function OutgoingSection({ host }: { host: Host }): JSX.Element {
  const { model, kb } = host;
  const title = kb.trans.__('Links from here');
  return (
    <Section host={host} id="outgoing" title={title} count={model.outgoingTotal}>
      {model.outgoingTotal === 0 ? (
        <p className="jp-kb-note-empty">
          {kb.trans.__('No links yet. Type [[ in this note to make the first one.')}
        </p>
      ) : (
        <LinkTree key={model.file} host={host} label={title} groups={model.outgoing} opensNote />
      )}
    </Section>
  );
}
