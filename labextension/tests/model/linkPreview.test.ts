import { describe, expect, it } from 'vitest';

import { placeCard } from '../../src/model/cardPlace';
import { firstLines, LinkPreviews } from '../../src/model/linkPreview';
import { noteFile } from '../../src/model/newNote';
import { readyVault } from './vault';

describe('the first lines of a section', () => {
  it('are its own text: without front matter, its heading, and what stands under other headings', () => {
    expect(firstLines('---\ntags: [a]\n---\n\n# Title\n\nOne.\n\n## Next\n\nTwo.\n')).toBe('One.');
    expect(firstLines('## Only\n')).toBe('');
    expect(firstLines('# Title\n\n## Part\n\nText.')).toBe('Text.');
  });

  it('are cut between words', () => {
    const cut = firstLines('word '.repeat(1000));
    expect(cut.length).toBeLessThan(901);
    expect(cut.endsWith('word')).toBe(true);
  });
});

describe('previews', () => {
  it('are read once, until the vault changes', async () => {
    const { kb, server, tell } = await readyVault();
    server
      .on('GET', 'vaults/lab/section', () => ({ content: '# A\n\nText.' }))
      .on('GET', 'vaults/lab/notes', () => ({
        notes: [{ file: 'a.md', title: 'A', tags: ['x'], modified: 12, aliases: [] }],
        total: 1
      }))
      .on('GET', 'vaults/lab/links', () => ({
        links: ['b.md', 'b.md', 'c.md', 'a.md'].map(file => ({ source: { file } })),
        total: 4
      }))
      .on('POST', 'vaults/lab/render', ({ body }) => ({
        html: `<p>${(body as { markdown: string }).markdown}</p>`
      }));
    const previews = new LinkPreviews(kb);
    const preview = await previews.get('a.md', null);
    expect(preview).toMatchObject({
      title: 'A',
      html: '<p>Text.</p>',
      tags: ['x'],
      modified: 12,
      linkedFrom: 2
    });
    await previews.get('a.md', null);
    const count = (): number => server.asked.filter(asked => asked.path.endsWith('section')).length;
    expect(count()).toBe(1);
    tell('index_updated', { added: [], changed: ['a.md'], removed: [] });
    await previews.get('a.md', null);
    expect(count()).toBe(2);
  });

  it('are not kept where they could not be read', async () => {
    const { kb, server } = await readyVault();
    const previews = new LinkPreviews(kb);
    await expect(previews.get('a.md', null)).rejects.toThrow();
    await expect(previews.get('a.md', null)).rejects.toThrow();
    expect(server.asked.filter(asked => asked.path.endsWith('section'))).toHaveLength(2);
  });
});

describe('the place of a card', () => {
  const window = { width: 1000, height: 600 };
  const card = { width: 320, height: 200 };

  it('is below the link, above it where there is no room, and within the window', () => {
    expect(placeCard({ left: 100, top: 80, bottom: 100 }, card, window)).toEqual({ left: 100, top: 104 });
    expect(placeCard({ left: 100, top: 500, bottom: 520 }, card, window)).toEqual({ left: 100, top: 296 });
    expect(placeCard({ left: 900, top: 80, bottom: 100 }, card, window).left).toBe(672);
  });
});

describe('the path of a new note', () => {
  it('is its name in its folder', () => {
    expect(noteFile(' Softmax ', 'math/ml/')).toBe('math/ml/Softmax.md');
    expect(noteFile('a.md', '')).toBe('a.md');
    expect(noteFile('  ', 'math')).toBeNull();
  });
});
