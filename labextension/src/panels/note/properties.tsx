// The front matter to read: tags lead to a search, addresses and wikilinks to what they name.
import { editIcon } from '@jupyterlab/ui-components';
import type { ReactNode } from 'react';

import { Commands } from '../../commands';
import { Chip, IconButton, LinkButton } from '../../ui/controls';
import { languageOf } from '../../ui/text';
import { Section } from './accordion';
import type { Host } from './host';

/** What the panel shows above already. */
const ELSEWHERE = new Set(['title']);

export function PropertiesSection({ host }: { host: Host }): JSX.Element {
  const { model, kb } = host;
  const { trans } = kb;
  const { outline, file } = model;
  const entries = Object.entries(outline?.front_matter ?? {}).filter(([name]) => !ELSEWHERE.has(name));
  const path = file === null ? null : kb.contentsPathOf(file);
  const actions =
    path === null ? null : (
      <span className="jp-kb-tools">
        <IconButton
          icon={editIcon}
          label={trans.__('Edit properties')}
          onClick={() => void editAt(host, path)}
        />
      </span>
    );
  return (
    <Section
      host={host}
      id="properties"
      title={trans.__('Properties')}
      count={outline && entries.length}
      actions={actions}
    >
      {entries.length ? (
        <dl className="jp-kb-properties">
          {entries.map(([name, value]) => (
            <div key={name}>
              <dt className="jp-kb-cut" title={name}>
                {label(name)}
              </dt>
              <dd>
                {name === 'tags' || name === 'tag' ? <Tags host={host} value={value} /> : shown(host, value)}
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="jp-kb-note-empty">
          {trans.__('No properties yet. They stand between two lines of --- at the top of the note.')}
        </p>
      )}
    </Section>
  );
}

/** The text editor, whatever notes are opened with: the front matter is at its top. */
async function editAt(host: Host, path: string): Promise<void> {
  await host.run('docmanager:open', { path, factory: 'Editor' });
  await host.run('fileeditor:go-to-line', { line: 1, column: 1 }).catch(() => undefined);
}

function label(name: string): string {
  const words = name.replace(/[_-]+/g, ' ');
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

function Tags({ host, value }: { host: Host; value: unknown }): JSX.Element {
  const tags = (Array.isArray(value) ? value : String(value ?? '').split(/[,\s]+/)).map(tag =>
    String(tag).replace(/^#/, '')
  );
  const { trans } = host.kb;
  return (
    <>
      {tags.filter(Boolean).map(tag =>
        host.has(Commands.search) ? (
          <Chip
            key={tag}
            title={trans.__('Search for notes with the tag #%1', tag)}
            onClick={() => void host.run(Commands.search, { query: `tag:${tag}` })}
          >
            #{tag}
          </Chip>
        ) : (
          <Chip key={tag}>#{tag}</Chip>
        )
      )}
    </>
  );
}

function shown(host: Host, value: unknown): ReactNode {
  const { trans } = host.kb;
  if (value === null || value === undefined || value === '') {
    return <span className="jp-kb-dim">{trans.__('empty')}</span>;
  }
  if (typeof value === 'boolean') {
    return value ? trans.__('yes') : trans.__('no');
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (
      <span key={index}>
        {shown(host, item)}
        {index < value.length - 1 && ', '}
      </span>
    ));
  }
  if (typeof value === 'object') {
    return Object.entries(value).map(([name, item], index, all) => (
      <span key={name}>
        <span className="jp-kb-dim">{label(name)}</span> {shown(host, item)}
        {index < all.length - 1 && ', '}
      </span>
    ));
  }
  return <Text host={host} text={String(value)} />;
}

function Text({ host, text }: { host: Host; text: string }): JSX.Element {
  if (/^https?:\/\/\S+$/i.test(text)) {
    return (
      <a className="jp-kb-cut" href={text} target="_blank" rel="noopener noreferrer" title={text}>
        {text.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')}
      </a>
    );
  }
  const link = /^\[\[([^\]|]+)(?:\|([^\]]+))?\]\]$/.exec(text);
  if (link) {
    const [, target = '', alias] = link;
    return <LinkButton onClick={() => void follow(host, target)}>{alias ?? target}</LinkButton>;
  }
  return <span lang={languageOf(text)}>{text}</span>;
}

async function follow(host: Host, target: string): Promise<void> {
  const [found] = await host.kb.client.resolve(host.model.file, [target]);
  if (found?.target) {
    host.go({ file: found.target.file, headingPath: found.target.heading_path }, 'open');
  }
}
