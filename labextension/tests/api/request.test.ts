import { describe, expect, it } from 'vitest';

import { Client, listVaults } from '../../src/api/client';
import { ApiError } from '../../src/api/request';
import { FakeServer, Refusal } from '../server';

describe('a request', () => {
  it('names the replaced text in If-Match', async () => {
    const server = new FakeServer().on('PATCH', 'vaults/lab/section', () => ({ written: true }));
    await new Client(server.settings, 'lab').edit({ section: { file: 'a.md' }, body: 'x' }, 'abc');
    expect(server.asked[0]?.headers.get('If-Match')).toBe('"abc"');
    expect(server.asked[0]?.body).toEqual({ section: { file: 'a.md' }, body: 'x' });
  });

  it('gives each heading by itself where a path is a list', async () => {
    const server = new FakeServer().on('GET', 'vaults/lab/section', () => ({}));
    await new Client(server.settings, 'lab').section({ file: 'a.md', heading_path: ['A > B', 'C'] });
    expect(server.asked[0]?.query.getAll('heading')).toEqual(['A > B', 'C']);
  });

  it('throws a refusal in the words of the server', async () => {
    const server = new FakeServer().on('GET', 'vaults/lab/outline', () => {
      throw new Refusal(404, {
        code: 'note-not-found',
        message: 'no note',
        reason: 'Not Found',
        hint: 'look',
        details: { x: 1 }
      });
    });
    const error = await new Client(server.settings, 'lab')
      .outline('a.md')
      .catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'note-not-found', status: 404, hint: 'look', details: { x: 1 } });
  });

  it('tells a server without the extension from one that does not answer', async () => {
    await expect(listVaults(new FakeServer().settings)).rejects.toMatchObject({ code: 'missing' });
    const broken = new FakeServer().on('GET', 'vaults', () => {
      throw new TypeError('connection refused');
    });
    await expect(listVaults(broken.settings)).rejects.toMatchObject({ code: 'unreachable', status: 0 });
  });

  it('throws AbortError when it was aborted', async () => {
    const control = new AbortController();
    const broken = new FakeServer().on('GET', 'vaults/lab/status', () => {
      control.abort();
      throw new TypeError('aborted');
    });
    await expect(new Client(broken.settings, 'lab').status(control.signal)).rejects.toMatchObject({
      name: 'AbortError'
    });
  });
});

describe('an answer of a server that wants to know who asks', () => {
  it.each([401, 403])('is told as such (%i)', async status => {
    const server = new FakeServer().on('GET', 'vaults', () => {
      throw new Refusal(status, { message: 'Forbidden', reason: null });
    });
    await expect(listVaults(server.settings)).rejects.toMatchObject({ code: 'signed-out', status });
  });
});
