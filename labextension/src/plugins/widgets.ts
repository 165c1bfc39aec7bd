// What notebooks show (results of `%kb`, widgets) may open notes, the section editor and the panels here.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';

import { Commands } from '../commands';
import { IKnowledgeBase } from '../tokens';

/** The class of a link in an output, the word by which its style asks whether it can be used, and what it does. */
const LINKS: readonly [
  kind: string,
  word: string,
  command: string,
  args: (link: HTMLElement) => Arguments
][] = [
  ['kb-edit-section', 'edit', Commands.edit, section],
  ['kb-show-all', 'search', Commands.search, link => ({ query: link.dataset['kbQuery'] ?? '' })],
  ['kb-diagnostics', 'diagnostics', Commands.diagnostics, () => ({})],
  ['kb-link', 'open', Commands.open, section]
];

type Arguments = Record<string, string | null>;

function section(link: HTMLElement): Arguments {
  return { file: link.dataset['kbFile'] ?? '', headingPath: link.dataset['kbHeading'] || null };
}

export const widgets: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:widgets',
  description: 'Lets outputs and widgets in notebooks open notes and panels.',
  autoStart: true,
  requires: [IKnowledgeBase],
  activate: (app: JupyterFrontEnd, kb: IKnowledgeBase) => {
    const { commands } = app;
    const tell = () => {
      const words = LINKS.filter(([, , command]) => commands.hasCommand(command)).map(([, word]) => word);
      if (kb.state === 'ready') {
        document.body.dataset['jupyterKb'] = words.join(' ');
      } else {
        delete document.body.dataset['jupyterKb'];
      }
    };
    kb.changed.connect(tell);
    commands.commandChanged.connect((_, change) => change.type !== 'changed' && tell());
    tell();

    const act = (event: Event) => {
      const target = event.target instanceof Element ? event.target : null;
      // Links inside a rendered note are the note's own; those of a widget or a frame are meant here.
      const link = target?.closest<HTMLElement>('.kb-w a.kb-in-lab, .jupyter-kb .kb-frame a');
      const found = LINKS.find(([kind]) => link?.classList.contains(kind));
      if (link && found && commands.hasCommand(found[2])) {
        event.preventDefault();
        event.stopPropagation();
        void commands.execute(found[2], found[3](link));
      }
    };
    document.addEventListener('click', act, true);
    document.addEventListener(
      'keydown',
      event => event.key === 'Enter' && (event.target as Element).matches('a[role=button]') && act(event),
      true
    );
  }
};
