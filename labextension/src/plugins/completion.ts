// Wikilinks in Markdown editors: completed while they are typed, shown as links, followed with Accel+click.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IEditorExtensionRegistry } from '@jupyterlab/codemirror';

import { Commands } from '../commands';
import { editorLinks } from '../links/editor';
import { IVaultLinks } from '../links/token';
import { IKnowledgeBase } from '../tokens';
import { folderOf } from '../ui/text';

export const completion: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:completion',
  description: 'Completes wikilinks in Markdown editors.',
  autoStart: true,
  requires: [IKnowledgeBase, IVaultLinks, IEditorExtensionRegistry],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    links: IVaultLinks,
    editors: IEditorExtensionRegistry
  ) => {
    editors.addExtension(
      editorLinks({
        follow: (link, beside) => void links.following.follow(link, beside),
        completion: async () => {
          const { wikilinkCompletion } = await import('../links/completion');
          return wikilinkCompletion({
            kb,
            ...links,
            create: app.commands.hasCommand(Commands.createNote)
              ? (name, view) => {
                  const folder = folderOf(links.sources.fileOf(view.dom) ?? '');
                  void app.commands
                    .execute(Commands.createNote, { name, folder, open: false })
                    .then(() => view.focus());
                }
              : null
          });
        }
      })
    );
  }
};
