// Picks a note by its name: a field, and the notes that match below it.
import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import { useEffect, useId, useState } from 'react';

import type { NoteInfo } from '../api/types';
import type { IKnowledgeBase } from '../tokens';
import { folderOf, languageOf } from '../ui/text';

/** Milliseconds after the last key. */
const DELAY = 80;
const LIMIT = 12;

/** The file of the note that was picked, or null. */
export async function pickNote(kb: IKnowledgeBase): Promise<string | null> {
  const { trans } = kb;
  const choice: Choice = { chosen: null };
  let picked: string | null = null;
  const pick = (file: string | null): void => {
    picked = file;
    dialog.resolve(0);
  };
  const body = ReactWidget.create(<Picker kb={kb} choice={choice} onPick={pick} />);
  const dialog = new Dialog({
    title: <h2>{trans.__('Choose a note')}</h2>,
    body,
    buttons: [Dialog.cancelButton({ label: trans.__('Cancel') })],
    hasClose: true,
    focusNodeSelector: 'input'
  });
  dialog.addClass('jp-kb');
  dialog.addClass('jp-kb-dialog');
  dialog.node.ariaLabel = trans.__('Choose a note');
  // before the dialog's own listener, for which Enter in a field presses the button
  dialog.node.addEventListener(
    'keydown',
    event => {
      if (event.key === 'Enter' && !event.isComposing && event.target instanceof HTMLInputElement) {
        event.preventDefault();
        event.stopImmediatePropagation();
        if (choice.chosen !== null) {
          pick(choice.chosen);
        }
      }
    },
    true
  );
  await dialog.launch();
  return picked;
}

/** The file of the note that Enter takes. */
interface Choice {
  chosen: string | null;
}

interface PickerProps {
  kb: IKnowledgeBase;
  choice: Choice;
  onPick: (file: string) => void;
}

function Picker({ kb, choice, onPick }: PickerProps): JSX.Element {
  const { trans } = kb;
  const id = useId();
  const [query, setQuery] = useState('');
  const [notes, setNotes] = useState<NoteInfo[] | null>(null);
  const [at, setAt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(
      () => {
        kb.client.notes({ query, limit: LIMIT }, abort.signal).then(
          page => {
            setNotes(page.notes);
            setAt(0);
          },
          () => undefined // what was found before stays
        );
      },
      query ? DELAY : 0
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [kb, query]);
  const chosen = notes?.[at];
  useEffect(() => {
    choice.chosen = chosen?.file ?? null;
  }, [choice, chosen]);
  return (
    <div className="jp-kb-form jp-kb-pick">
      <div className="jp-kb-field">
        <input
          type="search"
          role="combobox"
          aria-expanded={Boolean(notes?.length)}
          aria-controls={id}
          aria-activedescendant={chosen ? `${id}-${at}` : undefined}
          aria-label={trans.__('Name of the note')}
          placeholder={trans.__('Name of the note')}
          value={query}
          onChange={event => setQuery(event.target.value)}
          onKeyDownCapture={event => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (by && notes?.length) {
              event.preventDefault();
              setAt((at + by + notes.length) % notes.length);
            }
          }}
        />
      </div>
      <div className="jp-kb-pick-list" role="listbox" id={id} aria-label={trans.__('Notes')}>
        {notes?.map((note, index) => (
          <div
            key={note.file}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="jp-kb-pick-row"
            ref={element => {
              if (index === at) {
                element?.scrollIntoView({ block: 'nearest' });
              }
            }}
            onClick={() => onPick(note.file)}
          >
            <span className="jp-kb-cut" lang={languageOf(note.title)}>
              {note.title}
            </span>
            <span className="jp-kb-tiny jp-kb-dim jp-kb-cut">{folderOf(note.file)}</span>
          </div>
        ))}
        {notes?.length === 0 && <p className="jp-kb-small jp-kb-dim">{trans.__('No note has this name.')}</p>}
      </div>
    </div>
  );
}
