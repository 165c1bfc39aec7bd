import { describe, expect, it } from 'vitest';

import { Client } from '../../src/api/client';
import type { Mention, ResolvedLink } from '../../src/api/types';
import { brokenLinks, linkedFrom, linksFrom } from '../../src/model/linkList';
import { linkMention, NotThereError, retarget, targetFor } from '../../src/model/linkRepair';
import { FakeServer } from '../server';

export function link(raw_target: string, more: Partial<ResolvedLink> = {}): ResolvedLink {
  return {
    source: {
      file: 'a.md',
      heading_path: 'A',
      byte_range: { start: 0, end: 9 },
      line_range: { start: 1, end: 9 },
      content_hash: 'h'
    },
    line: 3,
    raw_target,
    kind: 'wikilink',
    status: 'missing',
    target: null,
    candidates: [],
    context: `See [[${raw_target}]].`,
    reason: null,
    ...more
  };
}

describe('a list of links', () => {
  const from = (file: string, line: number, context: string): ResolvedLink =>
    link('b', {
      source: { ...link('b').source, file },
      line,
      context,
      status: 'resolved',
      target: { file: 'b.md', heading_path: null }
    });
  const notes = new Map([
    ['x/old.md', { title: 'Old', modified: 10 }],
    ['x/new.md', { title: 'New', modified: 20 }]
  ]);

  it('has the note that was edited last first, and places in the order of the note', () => {
    const links = [from('x/old.md', 1, '[[b]]'), from('x/new.md', 9, '[[b]]'), from('x/new.md', 2, '[[b]]')];
    const groups = linkedFrom(links, notes, 'modified');
    expect(groups.map(group => [group.title, group.folder, group.rows.map(row => row.line)])).toEqual([
      ['New', 'x', [2, 9]],
      ['Old', 'x', [1]]
    ]);
    expect(linkedFrom(links, notes, 'title').map(group => group.title)).toEqual(['New', 'Old']);
  });

  it('cuts what stands far before the link at a word, and marks the link in what is left', () => {
    const context = '一 long sentence that goes on for a while before it comes to [[b|the point]] at last';
    const [group] = linkedFrom([from('x/new.md', 1, context)], notes, 'modified');
    const [row] = group?.rows ?? [];
    expect(row?.text).toBe('…before it comes to [[b|the point]] at last');
    const [[start, end]] = row?.marks as [[number, number]];
    expect(
      Array.from(row?.text ?? '')
        .slice(start, end)
        .join('')
    ).toBe('[[b|the point]]');
  });

  it('keeps two links of one line apart', () => {
    const groups = linkedFrom(
      [from('x/new.md', 1, '[[b]] [[b]]'), from('x/new.md', 1, '[[b]] [[b]]')],
      notes,
      'title'
    );
    expect(new Set(groups[0]?.rows.map(row => row.id)).size).toBe(2);
  });

  it('leaves broken links out of those that lead somewhere', () => {
    expect(linksFrom([link('nowhere')], notes)).toEqual([]);
  });

  it('says what is wrong with a link', () => {
    const target = { file: 'b.md', heading_path: null };
    const several = [target, { file: 'c.md', heading_path: null }];
    const faults = brokenLinks([
      link('gone'),
      link('gone'),
      link('picture.png', { kind: 'embed' }),
      link('b#No', { target }),
      link('b#^no', { target }),
      link('two', { status: 'ambiguous', candidates: several }),
      link('b#Same', { status: 'ambiguous', candidates: [target, target] }),
      link('good', { status: 'resolved', target })
    ]).map(({ fault, nth }) => [fault, nth]);
    expect(faults).toEqual([
      ['no-note', 0],
      ['no-note', 1],
      ['no-file', 0],
      ['no-heading', 0],
      ['no-block', 0],
      ['several-notes', 0],
      ['several-headings', 0]
    ]);
  });
});

describe('a link that is written anew', () => {
  function holding(content: string): { server: FakeServer; client: Client } {
    const server = new FakeServer()
      .on('GET', 'vaults/v/section', () => ({
        file: 'a.md',
        heading_path: 'A',
        level: 1,
        content,
        line_range: { start: 1, end: 9 },
        content_hash: 'h'
      }))
      .on('PATCH', 'vaults/v/section', () => ({}));
    return { server, client: new Client(server.settings, 'v') };
  }
  const sent = (server: FakeServer): unknown =>
    (server.asked.find(asked => asked.method === 'PATCH')?.body as { body: string } | undefined)?.body;

  it('changes its own characters and nothing else, under the hash of what was read', async () => {
    const { server, client } = holding('# A\r\n\r\nFirst [[gone]], then [[gone|alias]].\r\n[[gone]]');
    const [, second] = brokenLinks([link('gone'), link('gone')]);
    await retarget(client, second as never, 'found');
    expect(sent(server)).toBe('# A\r\n\r\nFirst [[gone]], then [[found|alias]].\r\n[[gone]]');
    expect(server.asked.at(-1)?.headers.get('If-Match')).toBe('"h"');
    expect(server.asked.at(-1)?.body).toMatchObject({ section: { heading_path: 'A', exact: true } });
  });

  it('is left alone where one of several may be code', async () => {
    const { server, client } = holding('# A\n\nSay `[[gone]]` or [[gone]].');
    const [first] = brokenLinks([link('gone')]);
    await expect(retarget(client, first as never, 'found')).rejects.toBeInstanceOf(NotThereError);
    expect(sent(server)).toBeUndefined();
  });

  it('is left alone where the line is another by now', async () => {
    const { server, client } = holding('# A\n\nNothing here.');
    const [first] = brokenLinks([link('gone')]);
    await expect(retarget(client, first as never, 'found')).rejects.toBeInstanceOf(NotThereError);
    expect(sent(server)).toBeUndefined();
  });

  it('keeps the text of a Markdown link', async () => {
    const { server, client } = holding('# A\n\nSee [it](gone.md "t") there.');
    const [first] = brokenLinks([link('gone.md', { kind: 'markdown' })]);
    await retarget(client, first as never, 'found.md');
    expect(sent(server)).toBe('# A\n\nSee [it](found.md "t") there.');
  });

  const mention = (context: string, text: string): Mention => {
    const start = Array.from(context.slice(0, context.indexOf(text))).length;
    return {
      source: link('x').source,
      line: 3,
      context,
      text,
      span: [start, start + Array.from(text).length],
      byte_range: { start: 5, end: 9 }
    };
  };

  it('makes a mention a link that shows the same words', async () => {
    const { server, client } = holding('# A\n\n🔬 Read Optics Notes.');
    await linkMention(client, mention('🔬 Read Optics Notes.', 'Optics Notes'), 'optics-notes');
    expect(sent(server)).toBe('# A\n\n🔬 Read [[optics-notes|Optics Notes]].');
  });

  it('hides the bar of a link in a table', async () => {
    const { server, client } = holding('# A\n\n| Read Optics |');
    await linkMention(client, mention('| Read Optics |', 'Optics'), 'optics');
    expect(sent(server)).toBe('# A\n\n| Read [[optics\\|Optics]] |');
  });

  it('has the shortest target that means the section', async () => {
    const server = new FakeServer().on('POST', 'vaults/v/resolve', ({ body }) => ({
      targets: (body as { targets: string[] }).targets.map(raw_target => ({
        raw_target,
        status: raw_target.startsWith('x/b#') ? 'resolved' : 'ambiguous',
        target: { file: 'x/b.md', heading_path: raw_target === 'x/b#B#Same' ? 'B > Same' : 'Same' },
        candidates: [],
        reason: null,
        suggestions: []
      }))
    }));
    const client = new Client(server.settings, 'v');
    expect(await targetFor(client, 'x/b.md', { heading: 'Same', heading_path: 'B > Same' })).toBe(
      'x/b#B#Same'
    );
  });
});
