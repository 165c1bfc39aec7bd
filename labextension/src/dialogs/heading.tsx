// Asks for a heading: of a new section, or another one for a section with the links that would follow.
import type { TranslationBundle } from '@jupyterlab/translation';
import { useEffect, useId, useState } from 'react';

import type { EditResult } from '../api/types';
import { ask } from './dialog';

type Links = Pick<EditResult, 'links_updated' | 'links_left'>;

export interface HeadingQuestion {
  title: string;
  action: string;
  heading: string;
  /** A line below the field. */
  about?: string;
  /** Why the heading was refused. */
  error?: string | null;
  /** Of a rename: which links would follow. */
  links?: Promise<Links | null>;
}

export interface HeadingAnswer {
  heading: string;
  updateLinks: boolean;
}

/** The heading that was given, or null where the dialog was left. */
export async function askHeading(
  question: HeadingQuestion,
  trans: TranslationBundle
): Promise<HeadingAnswer | null> {
  const answer: HeadingAnswer = { heading: question.heading, updateLinks: true };
  const accepted = await ask(
    {
      title: question.title,
      action: question.action,
      focus: 'input[name=heading]',
      body: <HeadingForm question={question} answer={answer} trans={trans} />
    },
    trans
  );
  const heading = answer.heading.trim();
  return accepted && heading ? { ...answer, heading } : null;
}

interface FormProps {
  question: HeadingQuestion;
  /** Written to as the reader types: the dialog reads it when it closes. */
  answer: HeadingAnswer;
  trans: TranslationBundle;
}

function HeadingForm({ question, answer, trans }: FormProps): JSX.Element {
  const [heading, setHeading] = useState(question.heading);
  const error = heading === question.heading ? question.error : null;
  const id = useId();
  const field = (element: HTMLInputElement | null): void => {
    if (element && !element.dataset['chosen']) {
      element.dataset['chosen'] = 'true';
      element.select();
    }
  };
  return (
    <div className="jp-kb-form">
      <label className="jp-kb-small jp-kb-dim" htmlFor={id}>
        {trans.__('Heading')}
      </label>
      <div className="jp-kb-field">
        <input
          id={id}
          name="heading"
          ref={field}
          value={heading}
          required
          pattern=".*\S.*"
          autoComplete="off"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : question.about ? `${id}-about` : undefined}
          onChange={event => {
            answer.heading = event.target.value;
            setHeading(event.target.value);
          }}
        />
      </div>
      {error && (
        <p id={`${id}-error`} className="jp-kb-field-error" role="alert">
          {error}
        </p>
      )}
      {question.about && (
        <p id={`${id}-about`} className="jp-kb-small jp-kb-dim">
          {question.about}
        </p>
      )}
      {question.links && <LinksThatFollow links={question.links} answer={answer} trans={trans} />}
    </div>
  );
}

function LinksThatFollow(props: {
  links: Promise<Links | null>;
  answer: HeadingAnswer;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { links, answer, trans } = props;
  const [known, setKnown] = useState<Links | null>(null);
  const [checked, setChecked] = useState(answer.updateLinks);
  useEffect(() => {
    let open = true;
    void links.then(found => {
      if (open) {
        setKnown(found);
      }
    });
    return () => {
      open = false;
    };
  }, [links]);
  const notes = known?.links_updated ?? [];
  const left = known?.links_left ?? [];
  const total = notes.reduce((sum, note) => sum + note.count, 0);
  return (
    <>
      {total > 0 && (
        <label className="jp-kb-check">
          <input
            type="checkbox"
            checked={checked}
            onChange={event => {
              answer.updateLinks = event.target.checked;
              setChecked(event.target.checked);
            }}
          />
          <span>
            {trans._n('Update %1 link to this heading', 'Update %1 links to this heading', total)}
            <span className="jp-kb-small jp-kb-dim">
              {inNotes(
                notes.map(note => note.title),
                trans
              )}
            </span>
          </span>
        </label>
      )}
      {left.map(note => (
        <p key={note.file} className="jp-kb-small jp-kb-dim">
          {trans._n(
            '%1 link in %2 cannot follow: %3',
            '%1 links in %2 cannot follow: %3',
            note.count,
            note.file,
            note.reason
          )}
        </p>
      ))}
    </>
  );
}

/** "in A, B and 2 more notes". */
function inNotes(titles: readonly string[], trans: TranslationBundle): string {
  const [first = '', second = '', third = ''] = titles;
  const more = titles.length - 2;
  switch (titles.length) {
    case 1:
      return trans.__('in %1', first);
    case 2:
      return trans.__('in %1 and %2', first, second);
    case 3:
      return trans.__('in %1, %2 and %3', first, second, third);
    default:
      return trans._n('in %2, %3 and %1 more note', 'in %2, %3 and %1 more notes', more, first, second);
  }
}
