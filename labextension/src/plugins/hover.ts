// The card of a link: after a moment under the pointer, or at once by key.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';

import { Commands } from '../commands';
import { LINKS } from '../links/following';
import type { HoverCard } from '../links/hoverCard';
import { IVaultLinks } from '../links/token';
import { linkTo } from '../model/linkNames';
import { IKnowledgeBase, INavigator } from '../tokens';

export const hover: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:hover',
  description: 'Shows what a link leads to before it is followed.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator, IVaultLinks],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    links: IVaultLinks,
    palette: ICommandPalette | null
  ) => {
    const { trans } = kb;
    let card: Promise<HoverCard> | null = null;
    const load = (): Promise<HoverCard> =>
      (card ??= import('../links/hoverCard').then(module => {
        const made = new module.HoverCard({
          kb,
          navigator,
          commands: app.commands,
          ...links,
          linkTo: async (file, headingPath) => {
            const { title } = await links.previews.get(file, headingPath);
            return linkTo(links.resolver, { file, title }, headingPath);
          }
        });
        made.listen();
        return made;
      }));
    // fetched when a link is first passed over
    const first = (event: PointerEvent): void => {
      if (kb.state === 'ready' && event.target instanceof Element && event.target.closest(LINKS)) {
        document.removeEventListener('pointerover', first);
        void load().then(made => made.over(event.target as Element));
      }
    };
    document.addEventListener('pointerover', first);

    app.commands.addCommand(Commands.previewLink, {
      label: trans.__('Preview Link'),
      caption: trans.__('Show what the link at the cursor leads to'),
      isEnabled: () => kb.state === 'ready' && links.following.current() !== null,
      execute: async () => {
        const link = links.following.current();
        const opener = document.activeElement;
        if (link) {
          await (await load()).show(link, opener instanceof HTMLElement ? opener : null);
        }
      }
    });
    app.commands.addCommand(Commands.followLink, {
      label: trans.__('Follow Link'),
      caption: trans.__('Open the note that the link at the cursor leads to'),
      isEnabled: () => kb.state === 'ready' && links.following.current() !== null,
      execute: async () => {
        const link = links.following.current();
        if (link) {
          await links.following.follow(link);
        }
      }
    });
    for (const command of [Commands.previewLink, Commands.followLink]) {
      palette?.addItem({ command, category: trans.__('Knowledge Base') });
    }
  }
};
