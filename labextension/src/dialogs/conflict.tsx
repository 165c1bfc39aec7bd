// Says that a section is another than it was when the change of it began: what is different, and that nothing was written.
import type { TranslationBundle } from '@jupyterlab/translation';
import { diffComm } from 'node-diff3';

import type { ApiError } from '../api/request';
import { clock } from '../ui/text';
import { ask } from './dialog';

/** Lines that are shown of a difference. */
const LINES = 12;

export interface Difference {
  sign: '+' | '−';
  text: string;
}

/** The lines that are gone and new, in order. */
export function differences(before: string, now: string): Difference[] {
  return diffComm(before.split(/\r\n|\n|\r/), now.split(/\r\n|\n|\r/)).flatMap(part =>
    'common' in part
      ? []
      : [
          ...part.buffer1.map(text => ({ sign: '−' as const, text })),
          ...part.buffer2.map(text => ({ sign: '+' as const, text }))
        ]
  );
}

/** Show it; true where the reader wants to look again. `before` is the text as it was read, if that is known. */
export function showConflict(
  heading: string,
  before: string | null,
  error: ApiError,
  trans: TranslationBundle
): Promise<boolean> {
  const now = error.details['current_content'];
  const modified = error.details['current_modified'];
  const lines = before !== null && typeof now === 'string' ? differences(before, now) : [];
  const said =
    typeof modified === 'number'
      ? trans.__(
          '“%1” was saved elsewhere at %2. Nothing has been overwritten.',
          heading,
          clock(modified * 1000)
        )
      : trans.__('“%1” was saved elsewhere in the meantime. Nothing has been overwritten.', heading);
  return ask(
    {
      title: trans.__('This section changed on disk'),
      action: trans.__('Look again'),
      body: (
        <div className="jp-kb-form">
          <p>{said}</p>
          {lines.length > 0 && (
            <pre className="jp-kb-differences" aria-label={trans.__('What changed')} tabIndex={0}>
              {lines.slice(0, LINES).map((line, index) => (
                <span key={index} className={line.sign === '+' ? 'jp-kb-mod-theirs' : 'jp-kb-mod-mine'}>
                  {`${line.sign} ${line.text}\n`}
                </span>
              ))}
              {lines.length > LINES && trans._n('… %1 more line', '… %1 more lines', lines.length - LINES)}
            </pre>
          )}
        </div>
      )
    },
    trans
  );
}
