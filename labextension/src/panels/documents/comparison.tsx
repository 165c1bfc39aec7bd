// What differs between a note as it is open here and as it is on disk.
import { ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { type ComparedLine, comparedLines } from '../../model/comparison';

export class Comparison extends ReactWidget {
  constructor(
    mine: string,
    theirs: string,
    private readonly _trans: TranslationBundle
  ) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-comparison');
    this._lines = comparedLines(mine, theirs);
  }

  protected render(): React.ReactElement {
    const trans = this._trans;
    return (
      <>
        <p className="jp-kb-comparison-legend">
          <b>M</b> {trans.__('your unsaved text')} · <b>T</b> {trans.__('on disk')}
        </p>
        <div
          className="jp-kb-comparison-lines"
          tabIndex={0}
          role="region"
          aria-label={trans.__('Differences')}
        >
          {this._lines.map((line, index) => (
            <Line key={index} line={line} trans={trans} />
          ))}
        </div>
      </>
    );
  }

  private readonly _lines: ComparedLine[];
}

function Line({ line, trans }: { line: ComparedLine; trans: TranslationBundle }): React.ReactElement {
  if (line.side === 'skip') {
    const count = Number(line.text);
    return (
      <div className="jp-kb-comparison-skip">{trans._n('%1 equal line', '%1 equal lines', count, count)}</div>
    );
  }
  const sign = { both: ' ', mine: 'M', theirs: 'T' }[line.side];
  return (
    <div className={`jp-kb-comparison-line jp-kb-mod-${line.side}`}>
      <span className="jp-kb-comparison-sign">{sign}</span>
      <span>{line.text || ' '}</span>
    </div>
  );
}
