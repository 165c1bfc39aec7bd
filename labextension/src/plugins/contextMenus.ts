// Commands on notes for the menus of the file browser, of editors and of notebooks.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { INotebookTracker } from '@jupyterlab/notebook';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands } from '../commands';
import { IVaultLinks } from '../links/token';
import { sectionAt } from '../model/places';
import { IKnowledgeBase, INavigator, type Place } from '../tokens';
import { knowledgeBaseIcon } from '../ui/icons';

export const contextMenus: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:contextMenus',
  description: 'Puts notes of the vault into the menus of the file browser, of editors and of notebooks.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator, IVaultLinks],
  optional: [IFileBrowserFactory, INotebookTracker, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    links: IVaultLinks,
    browsers: IFileBrowserFactory | null,
    notebooks: INotebookTracker | null,
    palette: ICommandPalette | null
  ) => {
    const { commands } = app;
    const { trans } = kb;

    /** The note that a menu was opened on, that arguments name, or that is in front; null without one. */
    const noteOf = (args: ReadonlyPartialJSONObject): string | null => {
      if (kb.state !== 'ready') {
        return null;
      }
      if (typeof args['file'] === 'string') {
        return args['file'];
      }
      if (args['from'] === 'browser') {
        const items = Array.from(browsers?.tracker.currentWidget?.selectedItems() ?? []);
        return items.length === 1 && items[0] ? kb.fileOf(items[0].path) : null;
      }
      return navigator.current?.file ?? null;
    };
    /** With its section, where one is named or the cursor stands in one. */
    const placeOf = async (args: ReadonlyPartialJSONObject): Promise<Place | null> => {
      const file = noteOf(args);
      if (file === null || args['headingPath'] !== undefined || args['file'] || args['from'] === 'browser') {
        const headingPath = args['headingPath'] as string | null | undefined;
        return file === null ? null : headingPath === undefined ? { file } : { file, headingPath };
      }
      const line = navigator.current?.line ?? 1;
      return { file, headingPath: sectionAt(await kb.client.outline(file), line)?.heading_path ?? null };
    };
    const isVisible = (args: ReadonlyPartialJSONObject): boolean => noteOf(args) !== null;

    commands.addCommand(Commands.openInPanel, {
      label: trans.__('Open in Knowledge Base'),
      caption: trans.__('Open the note and show its outline and links'),
      icon: args => (args['from'] ? knowledgeBaseIcon.bindprops({ stylesheet: 'menuItem' }) : undefined),
      isVisible,
      isEnabled: isVisible,
      execute: async args => {
        const file = noteOf(args);
        if (file !== null) {
          await navigator.open({ file });
          if (commands.hasCommand(Commands.showNote)) {
            await commands.execute(Commands.showNote);
          }
        }
      }
    });
    commands.addCommand(Commands.copyLink, {
      label: trans.__('Copy Section Link'),
      caption: trans.__('Put the wikilink to a section on the clipboard'),
      isVisible,
      isEnabled: isVisible,
      execute: async args => {
        const place = await placeOf(args);
        if (place) {
          const { copySectionLink } = await import('../links/sectionCommands');
          return copySectionLink(kb, links, place);
        }
        return null;
      }
    });
    const canInsert = (args: ReadonlyPartialJSONObject): boolean =>
      kb.state === 'ready' &&
      Boolean(notebooks?.currentWidget) &&
      (!args['from'] || args['from'] === 'notebook' || isVisible(args));
    commands.addCommand(Commands.insertIntoNotebook, {
      label: trans.__('Insert Section into Notebook'),
      caption: trans.__('Put a section of a note below the active cell'),
      isVisible: canInsert,
      isEnabled: canInsert,
      execute: async args => {
        const panel = notebooks?.currentWidget;
        if (!panel) {
          return;
        }
        const [{ pickSection }, { insertSection }] = await Promise.all([
          import('../links/picker'),
          import('../links/sectionCommands')
        ]);
        const given = args['from'] === 'notebook' ? null : await placeOf(args);
        const place =
          given?.headingPath !== undefined
            ? given
            : await pickSection(kb, links.resolver, {
                title: trans.__('Insert section into notebook'),
                accept: trans.__('Insert'),
                file: given?.file ?? null
              });
        if (place) {
          await insertSection(kb, links, panel, place);
        }
      }
    });
    for (const command of [Commands.openInPanel, Commands.copyLink, Commands.insertIntoNotebook]) {
      palette?.addItem({ command, category: trans.__('Knowledge Base') });
    }
  }
};
