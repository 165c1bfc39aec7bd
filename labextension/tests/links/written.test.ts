import { describe, expect, it } from 'vitest';

import { hide, reveal } from '../../src/links/written';

/** As a parser would, that knows paragraphs, code spans and links only. */
function rendered(markdown: string): string {
  const { markdown: hidden, links } = hide(markdown);
  const html = hidden
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>');
  return reveal(`<p>${html}</p>`, links);
}

describe('wikilinks on their way through a Markdown parser', () => {
  it('become links with their label', () => {
    expect(rendered('see [[a#B]] and [[c|the other]]')).toBe(
      '<p>see <a class="kb-link" href="#kb-link-0">a &gt; B</a> and <a class="kb-link" href="#kb-link-1">the other</a></p>'
    );
  });

  it('keep marks of Markdown in their names', () => {
    expect(rendered('[[a_b_c]]')).toContain('>a_b_c</a>');
    expect(hide('[[a_b_c]] *x*').markdown).not.toContain('_');
  });

  it('stay text in code, and lose their brackets in other links', () => {
    expect(rendered('`[[a]]` [see [[b]]](c.md)')).toBe('<p><code>[[a]]</code> <a href="c.md">see b</a></p>');
  });

  it('are not looked for in fenced code', () => {
    const fenced = '```mermaid\nA[[Box]] --> B\n```\n\n~~~~\n[[x]]\n~~~\n[[y]]\n~~~~\n[[z]]';
    const { markdown, links } = hide(fenced);
    expect(links.map(link => link.target)).toEqual(['z']);
    expect(markdown).toContain('A[[Box]] --> B');
  });

  it('are as written in attributes', () => {
    const { markdown, links } = hide('[[a]]');
    expect(reveal(`<img alt="x ${markdown}">`, links)).toBe('<img alt="x [[a]]">');
  });

  it('bring no HTML with them', () => {
    expect(rendered('[[a|<img src=x onerror=alert(1)>]]')).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });

  it.each([
    ['`'.repeat(10_000) + '\n' + 'word\n'.repeat(20_000)],
    [Array.from({ length: 3000 }, (_, index) => '`'.repeat(3 + (index % 400)) + 'x\nfoo').join('\n')],
    ['```a\n' + '~~~~~x y\n'.repeat(5000)]
  ])('take no time over fences that are never closed', text => {
    const start = performance.now();
    expect(hide(`[[a]]\n\n${text}`).links).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it('are found after a code span that looks like a fence, and not in a fence within another', () => {
    expect(hide('```x``` [[a]]').links).toHaveLength(1);
    expect(hide('````\n```\n[[a]]\n```\n````\n[[b]]').links.map(link => link.target)).toEqual(['b']);
    expect(hide('~~~\n[[a]]').links).toEqual([]);
  });
});
