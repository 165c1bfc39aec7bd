// A knowledge base on the fake server, and hits to answer with.
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import type { Hit } from '../src/api/types';
import { KnowledgeBase } from '../src/model/session';
import { FakeServer } from './server';

export const trans = nullTranslator.load('jupyter_kb');

export const FACETS = {
  notes: 3,
  folders: [
    { path: 'papers', count: 2 },
    { path: 'lab/logs', count: 1 }
  ],
  tags: [{ name: 'todo', count: 2 }],
  properties: [{ name: 'status', count: 1, values: [{ value: 'open', count: 1 }], more_values: 0 }],
  more_folders: 0,
  more_tags: 0,
  more_properties: 0
};

export const STATUS = {
  vault: 'lab',
  notes: 1310,
  indexing: null,
  model: { name: 'm', chunks: 10, embedded: 10, problem: null, hint: null }
};

/** A server with one vault that is ready. */
export function vaultServer(): FakeServer {
  return new FakeServer()
    .on('GET', '/kb/api', () => ({ name: 'jupyter-kb', version: '0.1.0' }))
    .on('GET', 'vaults', () => ({
      vaults: [
        { name: 'lab', root: '/srv/lab', is_default: true, ready: true, problem: null, contents_path: '' }
      ]
    }))
    .on('GET', 'vaults/lab/status', () => STATUS)
    .on('GET', 'vaults/lab/facets', () => FACETS);
}

/** `tell` emits an event of the server's. */
export async function opened(
  server: FakeServer
): Promise<{ kb: KnowledgeBase; tell: (kind: string, data?: object) => void }> {
  const stream = new Signal<object, never>({});
  const kb = new KnowledgeBase(server.settings, stream as never, trans);
  await kb.refresh();
  const tell = (kind: string, data: object = {}): void =>
    stream.emit({
      schema_id: `https://events.jupyter.org/jupyter_kb/${kind}/v1`,
      vault: 'lab',
      ...data
    } as never);
  return { kb, tell };
}

/** A hit in a section of a note; `meaning`: without a word of the query. */
export function hit(file: string, heading: string, options: Partial<Hit> & { meaning?: boolean } = {}): Hit {
  const { meaning = false, ...rest } = options;
  const title = file.replace(/^.*\//, '').replace(/\.md$/, '');
  return {
    file,
    title,
    heading,
    heading_path: `${title} > ${heading}`,
    score: 1,
    byte_range: { start: 0, end: 9 },
    line_range: { start: 3, end: 4 },
    content_hash: 'h',
    own_hash: 'h',
    snippet: `about ${heading}`,
    marks: [[0, 5]],
    text: '',
    complete: true,
    explanation: {
      text_rank: meaning ? null : 1,
      text_score: null,
      vector_rank: 1,
      vector_score: null,
      fused: 1,
      rerank_score: null
    },
    ...rest
  } as Hit;
}

/** An answer with these hits. */
export function answer(hits: Hit[], more: object = {}): object {
  const notes = new Set(hits.map(one => one.file)).size;
  return {
    query: '',
    mode: 'hybrid',
    hits,
    total: hits.length,
    notes,
    has_more: false,
    indexing: null,
    pending: 0,
    note: null,
    ...more
  };
}
