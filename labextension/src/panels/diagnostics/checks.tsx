// The checks of the diagnostics tab: a sign, a name, one sentence, one action.
import { Clipboard } from '@jupyterlab/apputils';
import { useState } from 'react';

import { Commands } from '../../commands';
import {
  type Check,
  checksOf,
  INSTALL_COMMAND,
  type Remedy,
  type Tone,
  UPDATE_COMMAND
} from '../../model/checks';
import { LinkButton } from '../../ui/controls';
import { warningIcon } from '../../ui/icons';
import { clockIcon, errorIcon, infoIcon, okIcon } from '../../ui/signs';
import type { DiagnosticsContext } from './context';

const SIGNS: Record<Tone, typeof okIcon> = {
  ok: okIcon,
  busy: clockIcon,
  info: infoIcon,
  warning: warningIcon,
  error: errorIcon
};

export function Checks({ context }: { context: DiagnosticsContext }): JSX.Element {
  const { kb, model, progress, commands } = context;
  const { trans } = kb;
  const [copied, setCopied] = useState<string | null>(null);
  const tones: Record<Tone, string> = {
    ok: trans.__('good'),
    busy: trans.__('under way'),
    info: trans.__('for information'),
    warning: trans.__('warning'),
    error: trans.__('error')
  };
  const copy = (text: string, id: string): void => {
    Clipboard.copyToSystem(text);
    setCopied(id);
  };
  const remedies: Record<Remedy, (check: Check) => void> = {
    pause: () => void commands.execute(Commands.pause),
    resume: () => void commands.execute(Commands.resume),
    choose: () => void commands.execute(Commands.chooseVault),
    update: () => void commands.execute(Commands.rebuild),
    check: () => void model.check(),
    'copy-install': check => copy(INSTALL_COMMAND, check.id),
    'copy-update': check => copy(UPDATE_COMMAND, check.id)
  };
  return (
    <ul className="jp-kb-checks" aria-label={trans.__('Checks')}>
      {checksOf(kb, progress).map(check => {
        const Sign = SIGNS[check.tone].react;
        const { action } = check;
        return (
          <li key={check.id} data-check={check.id}>
            <Sign tag="span" className={`jp-kb-icon jp-kb-sign-${check.tone}`} />
            <span className="jp-kb-spoken">{tones[check.tone]}: </span>
            <span>{check.name}</span>
            <span className="jp-kb-small jp-kb-dim jp-kb-cut" title={check.sentence}>
              {check.sentence}
            </span>
            <span className="jp-kb-small">
              {action && (
                <LinkButton onClick={() => remedies[action.remedy](check)}>
                  {copied === check.id ? trans.__('Copied') : action.label}
                </LinkButton>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
