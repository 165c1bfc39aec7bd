import { describe, expect, it } from 'vitest';

import { LinkResolver } from '../../src/model/resolver';
import { type FakeServer, Refusal } from '../server';
import { readyVault } from './vault';

interface Body {
  file: string | null;
  targets: string[];
}

const RESOLVE = 'vaults/lab/resolve';

function answering(server: FakeServer): FakeServer {
  return server.on('POST', RESOLVE, ({ body }) => ({
    targets: (body as Body).targets.map(target => ({
      raw_target: target,
      status: 'resolved',
      target: { file: `${target}.md`, heading_path: null },
      candidates: [],
      reason: null,
      suggestions: []
    }))
  }));
}

function requests(server: FakeServer): Body[] {
  return server.asked.filter(asked => asked.path === RESOLVE).map(asked => asked.body as Body);
}

describe('resolving the targets of links', () => {
  it('asks for all of one note at once, and for each only once', async () => {
    const { kb, server } = await readyVault();
    const resolver = new LinkResolver(answering(server) && kb);
    const found = await Promise.all(['a', 'b', 'a'].map(target => resolver.resolve('x.md', target)));
    expect(found.map(one => one?.target?.file)).toEqual(['a.md', 'b.md', 'a.md']);
    expect(requests(server)).toEqual([{ file: 'x.md', targets: ['a', 'b'] }]);
    await resolver.resolve('x.md', 'b');
    expect(requests(server)).toHaveLength(1);
  });

  it('asks for other notes by themselves: a name means something in its place only', async () => {
    const { kb, server } = await readyVault();
    const resolver = new LinkResolver(answering(server) && kb);
    await Promise.all([
      resolver.resolve('x.md', 'a'),
      resolver.resolve('y.ipynb', 'a'),
      resolver.resolve(null, 'a')
    ]);
    expect(requests(server).map(body => body.file)).toEqual(['x.md', 'y.ipynb', null]);
  });

  it('never asks for more than the server takes', async () => {
    const { kb, server } = await readyVault();
    const resolver = new LinkResolver(answering(server) && kb);
    const targets = Array.from({ length: 1200 }, (_, index) => `n${index}`);
    const found = await Promise.all(targets.map(target => resolver.resolve(null, target)));
    expect(requests(server).map(body => body.targets.length)).toEqual([500, 500, 200]);
    expect(found.at(-1)?.target?.file).toBe('n1199.md');
  });

  it('forgets what it knew when the vault changes', async () => {
    const { kb, server, tell } = await readyVault();
    const resolver = new LinkResolver(answering(server) && kb);
    let told = 0;
    resolver.forgotten.connect(() => told++);
    await resolver.resolve(null, 'a');
    tell('index_updated', { added: ['a.md'], changed: [], removed: [] });
    expect(told).toBe(1);
    await resolver.resolve(null, 'a');
    expect(requests(server)).toHaveLength(2);
  });

  it('says nothing where the server fails, and tries again', async () => {
    const { kb, server } = await readyVault();
    const resolver = new LinkResolver(kb);
    server.on('POST', RESOLVE, () => {
      throw new Refusal(503, { code: 'busy', message: 'the index is busy' });
    });
    expect(await resolver.resolve(null, 'a')).toBeNull();
    answering(server);
    expect((await resolver.resolve(null, 'a'))?.status).toBe('resolved');
  });
});
