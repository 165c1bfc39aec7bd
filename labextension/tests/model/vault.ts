// A knowledge base over a fake server, for the tests of models.
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { KnowledgeBase } from '../../src/model/session';
import { FakeServer } from '../server';

const PREFIX = 'https://events.jupyter.org/jupyter_kb/';

export interface Made {
  kb: KnowledgeBase;
  server: FakeServer;
  /** Let the server tell something of the vault. */
  tell: (kind: string, rest?: object) => void;
}

/** A vault `lab` that is ready and lies at the root of Jupyter's contents. */
export async function readyVault(server = new FakeServer()): Promise<Made> {
  server
    .on('GET', 'vaults', () => ({
      vaults: [{ name: 'lab', root: '/lab', is_default: true, ready: true, problem: null, contents_path: '' }]
    }))
    .on('GET', 'vaults/lab/status', () => ({ vault: 'lab', notes: 3 }));
  const stream = new Signal<object, never>({});
  const kb = new KnowledgeBase(server.settings, stream as never, nullTranslator.load('jupyter_kb'));
  await kb.refresh();
  const tell = (kind: string, rest: object = {}): void =>
    stream.emit({ schema_id: `${PREFIX}${kind}/v1`, vault: 'lab', ...rest } as never);
  return { kb, server, tell };
}
