// The item in the status bar with its card, and the commands that pause and resume search by meaning.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { IStatusBar } from '@jupyterlab/statusbar';

import { Commands } from '../commands';
import { Progress } from '../model/progress';
import { StatusItem } from '../panels/status/item';
import { IKnowledgeBase } from '../tokens';
import { pauseIcon, playIcon } from '../ui/signs';

/** The place in the status bar: after the kernel. */
const RANK = 3;

export const status: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:status',
  description: 'How the knowledge base stands, in the status bar.',
  autoStart: true,
  requires: [IKnowledgeBase],
  optional: [IStatusBar, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    bar: IStatusBar | null,
    palette: ICommandPalette | null
  ) => {
    const { commands } = app;
    const { trans } = kb;
    const progress = new Progress(kb);
    const pause = (paused: boolean): Promise<void> =>
      progress
        .pause(paused)
        .catch((error: unknown) =>
          showErrorMessage(trans.__('Meaning search could not be changed'), error as Error)
        );
    commands.addCommand(Commands.pause, {
      label: trans.__('Pause Preparing Meaning Search'),
      icon: pauseIcon,
      isEnabled: () => progress.phase === 'meaning',
      execute: () => pause(true)
    });
    commands.addCommand(Commands.resume, {
      label: trans.__('Resume Preparing Meaning Search'),
      icon: playIcon,
      isEnabled: () => progress.paused,
      execute: () => pause(false)
    });
    progress.changed.connect(() => {
      commands.notifyCommandChanged(Commands.pause);
      commands.notifyCommandChanged(Commands.resume);
    });
    const category = trans.__('Knowledge Base');
    palette?.addItem({ command: Commands.pause, category });
    palette?.addItem({ command: Commands.resume, category });

    let close: (() => void) | null = null;
    const item = new StatusItem(kb, progress, () => {
      if (close) {
        close();
        return;
      }
      void import('../panels/status').then(async ({ showCard }) => {
        close = await showCard(item, { kb, progress, commands }, () => {
          close = null;
        });
      });
    });
    bar?.registerStatusItem(status.id, { item, align: 'left', rank: RANK });
  }
};
