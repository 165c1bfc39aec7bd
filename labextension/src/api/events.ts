// What the server tells by itself: Jupyter's event stream, narrowed to one vault of ours.
import type { Event } from '@jupyterlab/services';

const PREFIX = 'https://events.jupyter.org/jupyter_kb/';

export interface Names {
  added: string[];
  changed: string[];
  removed: string[];
}

export type VaultEvent =
  | { kind: 'index_progress'; vault: string; done: number; total: number }
  | {
      kind: 'embedding_progress';
      vault: string;
      embedded: number;
      total: number;
      seconds_left: number | null;
      paused: boolean;
    }
  | ({ kind: 'index_updated'; vault: string; counts: Record<keyof Names, number> } & Names)
  | { kind: 'note_changed'; vault: string; file: string; operation: string; actor: string; version: string };

/** The event in an emission, or null where it is somebody else's. */
export function vaultEvent(emission: Event.Emission): VaultEvent | null {
  if (!emission.schema_id.startsWith(PREFIX)) {
    return null;
  }
  const kind = emission.schema_id.slice(PREFIX.length).split('/')[0];
  return { ...emission, kind } as unknown as VaultEvent;
}
