// The state of the knowledge base as a list of checks, a sentence each. No DOM.
import type { IKnowledgeBase } from '../tokens';
import { amount, timeLeft } from '../ui/text';
import { fits, VERSION } from '../version';
import type { Progress } from './progress';

export type Tone = 'ok' | 'busy' | 'info' | 'warning' | 'error';
/** What can be done about it; how it is called says `label`. */
export type Remedy = 'pause' | 'resume' | 'choose' | 'update' | 'check' | 'copy-install' | 'copy-update';

export interface Check {
  id: 'server' | 'folder' | 'text' | 'meaning' | 'watching' | 'writing' | 'place' | 'versions';
  tone: Tone;
  name: string;
  sentence: string;
  action?: { remedy: Remedy; label: string };
}

export const UPDATE_COMMAND = 'pip install --upgrade jupyter_kb';
export const INSTALL_COMMAND = 'pip install jupyter_kb && jupyter server extension enable jupyter_kb';

export function checksOf(kb: IKnowledgeBase, progress: Progress): Check[] {
  const { trans, state, status, vault, problem } = kb;
  const check = (
    id: Check['id'],
    tone: Tone,
    name: string,
    sentence: string,
    action?: [Remedy, string]
  ): Check => ({
    id,
    tone,
    name,
    sentence,
    ...(action ? { action: { remedy: action[0], label: action[1] } } : {})
  });
  const server = trans.__('Server part');
  const folder = trans.__('Notes folder');
  if (state === 'missing') {
    return [
      check(
        'server',
        'error',
        server,
        trans.__('The server part is not running. Your notes are not affected.'),
        ['copy-install', trans.__('Copy install command')]
      )
    ];
  }
  if (state === 'failed' && (!vault || problem?.code === 'unreachable')) {
    return [
      check('server', 'error', server, trans.__('No answer from the server: %1', problem?.message ?? ''), [
        'check',
        trans.__('Check again')
      ])
    ];
  }
  if (state === 'empty') {
    return [
      check('server', 'ok', server, trans.__('It answers')),
      check('folder', 'warning', folder, trans.__('No notes folder is chosen'), [
        'choose',
        trans.__('Choose…')
      ])
    ];
  }
  if (state === 'failed') {
    return [
      check('server', 'ok', server, trans.__('It answers')),
      check('folder', 'error', folder, `${vault?.root ?? ''} · ${vault?.problem ?? problem?.message ?? ''}`, [
        'choose',
        trans.__('Choose…')
      ])
    ];
  }
  if (!status) {
    return [check('server', 'busy', server, trans.__('Asking…'))];
  }
  const notes = trans._n('%2 note', '%2 notes', status.notes, amount(status.notes));
  return [
    check('folder', 'ok', folder, `${status.root} · ${notes}`),
    textIndex(),
    meaning(),
    watching(),
    check(
      'writing',
      status.read_only ? 'info' : 'ok',
      trans.__('Editing'),
      status.read_only
        ? trans.__('The folder is read-only: notes can be searched and read, not changed')
        : trans.__('Notes can be changed; each change is guarded')
    ),
    status.index_location === null
      ? check('place', 'warning', trans.__('Place of the index'), status.note ?? trans.__('In memory only'))
      : check('place', 'ok', trans.__('Place of the index'), status.index_location),
    versions()
  ];

  function textIndex(): Check {
    const name = trans.__('Text index');
    const { reading } = progress;
    if (reading && status) {
      const left = status.seconds_left === null ? '' : ` · ${timeLeft(status.seconds_left, trans)}`;
      return check(
        'text',
        'busy',
        name,
        trans.__('%1 of %2 notes have been read', amount(reading.done), amount(reading.total)) + left
      );
    }
    const parts = [
      trans.__(
        '%1, %2',
        notes,
        trans._n('%2 section', '%2 sections', status?.sections ?? 0, amount(status?.sections ?? 0))
      ),
      size(status?.index_bytes ?? 0),
      trans.__('up to date')
    ];
    return check('text', 'ok', name, parts.join(' · '), ['update', trans.__('Update')]);
  }

  function meaning(): Check {
    const name = trans.__('Meaning search');
    const model = status?.model ?? null;
    const made = progress.made;
    if (!model || !made) {
      return check('meaning', 'info', name, trans.__('Off: no model is set. Text search is not affected'));
    }
    const where = model.server ? trans.__('sent to %1', model.server) : trans.__('on this computer');
    const what = trans.__('model %1, %2', model.name, where);
    const passages = trans.__('%1 of %2 passages', amount(made.done), amount(made.total));
    if (model.problem) {
      const hint = model.hint ? ` · ${model.hint}` : '';
      return check('meaning', 'warning', name, `${model.problem}${hint}`, ['check', trans.__('Try again')]);
    }
    if (progress.paused) {
      return check('meaning', 'info', name, `${trans.__('Paused')} · ${passages} · ${what}`, [
        'resume',
        trans.__('Resume')
      ]);
    }
    if (made.done < made.total) {
      const left = progress.secondsLeft === null ? [] : [timeLeft(progress.secondsLeft, trans)];
      return check('meaning', 'busy', name, [passages, ...left, what].join(' · '), [
        'pause',
        trans.__('Pause')
      ]);
    }
    const all = trans._n('%2 passage', '%2 passages', made.total, amount(made.total));
    return check('meaning', 'ok', name, `${all} · ${what}`);
  }

  function watching(): Check {
    const [tone, sentence]: [Tone, string] = {
      events: ['ok', trans.__('Changes on disk are taken up as they happen')] as [Tone, string],
      polling: [
        'warning',
        trans.__('The folder reports no changes, so it is looked through at intervals instead')
      ] as [Tone, string],
      starting: ['busy', trans.__('Beginning to watch the folder')] as [Tone, string],
      lost: [
        'warning',
        trans.__('The folder is no longer watched; it is compared with each search instead')
      ] as [Tone, string],
      off: ['info', trans.__('The folder is not watched; it is compared with each search instead')] as [
        Tone,
        string
      ]
    }[status?.watching ?? 'off'];
    return check('watching', tone, trans.__('Watching for changes'), sentence);
  }

  function versions(): Check {
    const name = trans.__('Versions');
    const theirs = status?.version ?? '';
    return !theirs || fits(theirs)
      ? check(
          'versions',
          'ok',
          name,
          trans.__('jupyter_kb %1 on the server, %2 in the browser', theirs, VERSION)
        )
      : check(
          'versions',
          'error',
          name,
          trans.__('The server part is version %1, this page needs %2', theirs, VERSION),
          ['copy-update', trans.__('Copy update command')]
        );
  }
}

/** Bytes as "31 MB". */
function size(bytes: number): string {
  return bytes >= 1e9
    ? `${(bytes / 1e9).toFixed(1)} GB`
    : bytes >= 1e6
      ? `${Math.round(bytes / 1e6)} MB`
      : `${Math.ceil(bytes / 1e3)} kB`;
}
