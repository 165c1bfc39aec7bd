import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { VaultEvent } from '../../src/api/events';
import { checksOf } from '../../src/model/checks';
import { Progress } from '../../src/model/progress';
import { DEFAULT_SETTINGS } from '../../src/model/session';
import type { IKnowledgeBase } from '../../src/tokens';

const MODEL = {
  name: 'small',
  chunks: 200,
  embedded: 200,
  problem: null,
  server: null,
  paused: false,
  seconds_left: null
};
const STATUS = {
  notes: 1310,
  sections: 9846,
  diagnostics: 20,
  index_bytes: 31e6,
  index_location: '/index',
  root: '/notes',
  read_only: false,
  indexing: null,
  seconds_left: null,
  watching: 'events',
  version: '0.1.0',
  model: MODEL
};

function made(values: object = {}): {
  kb: IKnowledgeBase;
  progress: Progress;
  tell: (event: object) => void;
  status: (more: object) => void;
} {
  const source = {};
  const events = new Signal<object, VaultEvent>(source);
  const statusChanged = new Signal<object, void>(source);
  const kb = {
    state: 'ready',
    vault: { name: 'v', root: '/notes' },
    status: STATUS,
    settings: DEFAULT_SETTINGS,
    trans: nullTranslator.load('jupyter_kb'),
    changed: new Signal<object, void>(source),
    statusChanged,
    settingsChanged: new Signal<object, void>(source),
    events,
    ...values
  };
  const typed = kb as unknown as IKnowledgeBase;
  return {
    kb: typed,
    progress: new Progress(typed),
    tell: event => events.emit(event as VaultEvent),
    status: more => {
      kb.status = { ...STATUS, ...more };
      statusChanged.emit();
    }
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the text of the status bar', () => {
  it('is the number of notes when all is ready', () => {
    expect(made().progress.text).toBe('1,310 notes');
  });

  it('has the problems only where the setting asks for them', () => {
    expect(made({ settings: { ...DEFAULT_SETTINGS, showProblems: true } }).progress.text).toBe(
      '1,310 notes · 20 problems'
    );
  });

  it('counts the notes that are read, and keeps room for all of them', () => {
    const { progress, tell } = made();
    tell({ kind: 'index_progress', done: 340, total: 1310 });
    expect(progress.text).toBe('Reading notes 340 of 1,310');
    expect(progress.widest).toBe('Reading notes 1,310 of 1,310');
    tell({ kind: 'index_progress', done: 1310, total: 1310 });
    expect(progress.text).toBe('1,310 notes');
  });

  it('says how far search by meaning is, and never 100 % before it is complete', () => {
    const { progress, tell } = made();
    tell({ kind: 'embedding_progress', embedded: 124, total: 200, seconds_left: 180, paused: false });
    expect(progress.text).toBe('Meaning search 62 %');
    expect(progress.secondsLeft).toBe(180);
    tell({ kind: 'embedding_progress', embedded: 1999, total: 2000, seconds_left: 1, paused: false });
    expect(progress.text).toBe('Meaning search 99 %');
    tell({ kind: 'embedding_progress', embedded: 1999, total: 2000, seconds_left: null, paused: true });
    expect(progress.text).toBe('Meaning search paused');
  });

  it('says that the knowledge base is off when the server part is missing', () => {
    expect(made({ state: 'missing', status: null }).progress.text).toBe('Knowledge base off');
    expect(made({ state: 'empty', status: null }).progress.text).toBe('No notes folder');
  });

  it('is told at most once a second, the last of several changes included', () => {
    const { progress, tell } = made();
    const told: string[] = [];
    progress.changed.connect(() => told.push(progress.text));
    for (let done = 1; done <= 50; done += 1) {
      tell({ kind: 'index_progress', done, total: 1310 });
      vi.advanceTimersByTime(50);
    }
    expect(told.length).toBeLessThanOrEqual(4);
    vi.advanceTimersByTime(1000);
    expect(told.at(-1)).toBe('Reading notes 50 of 1,310');
  });

  it('lets a status that was read replace what events said', () => {
    const { progress, tell, status } = made();
    tell({ kind: 'embedding_progress', embedded: 1, total: 200, seconds_left: 9, paused: true });
    status({ model: { ...MODEL, embedded: 100 } });
    expect(progress.text).toBe('Meaning search 50 %');
  });
});

describe('the checks', () => {
  const tones = (values: object): Record<string, string> => {
    const { kb, progress } = made(values);
    return Object.fromEntries(checksOf(kb, progress).map(check => [check.id, check.tone]));
  };

  it('are all good where nothing is wrong', () => {
    expect(new Set(Object.values(tones({})))).toEqual(new Set(['ok']));
  });

  it('warn of a folder that is not watched, a model that fails and an index in memory', () => {
    const found = tones({
      status: {
        ...STATUS,
        watching: 'lost',
        index_location: null,
        model: { ...MODEL, problem: 'it cannot be loaded' }
      }
    });
    expect(found).toMatchObject({ watching: 'warning', place: 'warning', meaning: 'warning', text: 'ok' });
  });

  it('say what to do where versions do not fit', () => {
    const { kb, progress } = made({ status: { ...STATUS, version: '9.9.0' } });
    const check = checksOf(kb, progress).find(one => one.id === 'versions');
    expect(check).toMatchObject({ tone: 'error', action: { remedy: 'copy-update' } });
  });

  it('name where text is sent to', () => {
    const { kb, progress } = made({
      status: { ...STATUS, model: { ...MODEL, server: 'models.example:443' } }
    });
    expect(checksOf(kb, progress).find(one => one.id === 'meaning')?.sentence).toContain(
      'sent to models.example:443'
    );
  });

  it('tell of the server part alone where it is missing', () => {
    expect(tones({ state: 'missing', status: null })).toEqual({ server: 'error' });
  });
});
