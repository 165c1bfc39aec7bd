// The section editor in the main area: its commands, its tabs, and that they are there again after a reload.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILabStatus, ILayoutRestorer } from '@jupyterlab/application';
import { ICommandPalette, MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { IEditorServices } from '@jupyterlab/codeeditor';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { editIcon } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import type { Message } from '@lumino/messaging';

import { Commands } from '../commands';
import { sectionAt } from '../model/places';
import type { EditorOptions, SectionEditor } from '../panels/editor';
import { IKnowledgeBase, INavigator, type Place } from '../tokens';
import { LazyPanel } from '../ui/lazy';

const DIRTY = 'jp-mod-dirty';

/** What is edited; of another vault than the one that is shown where that was changed since. */
interface Edited {
  vault: string;
  file: string;
  headingPath: string | null;
}

class SectionTab extends MainAreaWidget<LazyPanel> {
  constructor(
    public edited: Edited,
    load: () => Promise<SectionEditor>,
    failed: string
  ) {
    super({
      content: new LazyPanel(async () => {
        this.editor = await load();
        return this.editor;
      }, failed)
    });
    this.id = `jupyter-kb-section-${(count += 1)}`;
    this.addClass('jp-kb-section-tab');
    this.toolbar.hide();
    this.title.icon = editIcon;
    this.title.closable = true;
    this.retitle(edited);
  }

  /** Null until the tab is first shown. */
  editor: SectionEditor | null = null;

  retitle({ file, headingPath }: Pick<Edited, 'file' | 'headingPath'>, heading?: string): void {
    this.title.label = heading ?? headingPath?.split(' > ').at(-1) ?? file.slice(file.lastIndexOf('/') + 1);
    this.title.caption = headingPath ? `${file} › ${headingPath.replace(/ > /g, ' › ')}` : file;
  }

  protected override onCloseRequest(message: Message): void {
    void (this.editor?.mayClose() ?? Promise.resolve(true)).then(may => {
      if (may) {
        super.onCloseRequest(message);
      }
    });
  }
}

let count = 0;

export const editor: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:editor',
  description: 'Edits single sections of notes, with a preview, and merges what others changed meanwhile.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator, IEditorServices, IRenderMimeRegistry],
  optional: [ILayoutRestorer, ICommandPalette, ILabStatus],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    services: IEditorServices,
    rendermime: IRenderMimeRegistry,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    status: ILabStatus | null
  ) => {
    const { trans } = kb;
    const { commands, shell } = app;
    const tracker = new WidgetTracker<SectionTab>({ namespace: 'jupyter-kb-section' });

    // JupyterLab asks before the page is left while something is not saved
    let unsaved: IDisposable | null = null;
    const tellUnsaved = (): void => {
      const is =
        tracker.find(tab => Boolean(tab.editor?.model.loaded && tab.editor.model.dirty)) !== undefined;
      if (is !== (unsaved !== null)) {
        unsaved?.dispose();
        unsaved = is ? (status?.setDirty() ?? null) : null;
      }
    };

    const open = (edited: Edited, line: number | null): SectionTab => {
      const known = tracker.find(
        tab =>
          tab.edited.vault === edited.vault &&
          tab.edited.file === edited.file &&
          tab.edited.headingPath === edited.headingPath
      );
      if (known) {
        if (line !== null) {
          known.editor?.goTo(line);
        }
        return known;
      }
      const tab: SectionTab = new SectionTab(
        edited,
        async () => {
          const [{ SectionEditor }] = await Promise.all([import('../panels/editor'), ready(kb)]);
          const vault = edited.vault || (kb.vault?.name ?? '');
          const options: EditorOptions = {
            ...{ app, kb, navigator, services, rendermime, vault, line },
            ...{ file: tab.edited.file, headingPath: tab.edited.headingPath },
            close: () => tab.dispose()
          };
          const made = new SectionEditor(options);
          made.model.changed.connect(() => {
            const { file, headingPath, dirty, loaded } = made.model;
            const had = tab.edited;
            tab.title.className = loaded && dirty ? DIRTY : '';
            tellUnsaved();
            if (headingPath !== had.headingPath || vault !== had.vault) {
              tab.edited = { vault, file, headingPath };
              tab.retitle(tab.edited);
              void tracker.save(tab);
            }
          });
          navigator.follow(tab, made.model.file, made.noteView);
          return made;
        },
        trans.__('The server part is not running. Search, links and guarded editing need it.')
      );
      void tracker.add(tab);
      tab.disposed.connect(tellUnsaved);
      shell.add(tab, 'main', { activate: false });
      return tab;
    };

    const named = async (args: Partial<Place>): Promise<Place | null> => {
      if (args.file) {
        return args as Place;
      }
      const here = navigator.current;
      const node = here?.line ? sectionAt(await kb.client.outline(here.file), here.line) : null;
      return here && { file: here.file, headingPath: node?.heading_path ?? null, line: here.line ?? null };
    };

    commands.addCommand(Commands.edit, {
      label: trans.__('Edit Section'),
      icon: editIcon,
      isEnabled: args => Boolean(args['file']) || navigator.current !== null,
      execute: async args => {
        const place = await named(args as Partial<Place>);
        if (!place) {
          return;
        }
        const vault = typeof args['vault'] === 'string' ? args['vault'] : (kb.vault?.name ?? '');
        const tab = open(
          { vault, file: place.file, headingPath: place.headingPath ?? null },
          place.line ?? null
        );
        if (args['activate'] !== false) {
          shell.activateById(tab.id);
        }
      }
    });
    palette?.addItem({ command: Commands.edit, category: trans.__('Knowledge Base') });

    const inFront = (): SectionEditor | null =>
      shell.currentWidget === tracker.currentWidget ? (tracker.currentWidget?.editor ?? null) : null;
    const add = (id: string, label: string, act: (editor: SectionEditor) => unknown): void => {
      commands.addCommand(id, {
        label,
        isEnabled: () => inFront() !== null,
        execute: async () => {
          const found = inFront();
          if (found) {
            await act(found);
          }
        }
      });
      palette?.addItem({ command: id, category: trans.__('Knowledge Base') });
    };
    add(Commands.saveSection, trans.__('Save Section'), found => found.actions.save());
    add(Commands.insertAfterSection, trans.__('Insert Section After the Edited One…'), found =>
      found.actions.insert('after')
    );
    add(Commands.renameSection, trans.__('Rename the Edited Section…'), found => found.actions.rename());
    add(Commands.nextView, trans.__('Next View of the Section (Source, Split, Preview)'), found =>
      found.views.cycle()
    );
    add(Commands.nextDifference, trans.__('Next Difference'), found => found.merge?.go(1));
    add(Commands.previousDifference, trans.__('Previous Difference'), found => found.merge?.go(-1));

    if (restorer) {
      void restorer.restore(tracker, {
        command: Commands.edit,
        args: tab => ({ ...tab.edited, activate: false }),
        name: tab => JSON.stringify(tab.edited)
      });
    }
  }
};

/** Resolves when the vault in use is known; rejects where there is none. */
function ready(kb: IKnowledgeBase): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (kb.state === 'starting') {
        return;
      }
      kb.changed.disconnect(look);
      if (kb.vault) {
        resolve();
      } else {
        reject(new Error(kb.state));
      }
    };
    kb.changed.connect(look);
    look();
  });
}
