// The dialog that makes a note: its name, its folder, where it will be, and why it cannot be made.
import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import { type ISignal, Signal } from '@lumino/signaling';
import { useId } from 'react';

import { ApiError } from '../api/request';
import type { FolderNode } from '../api/types';
import { useSignals } from '../ui/hooks';
import type { IKnowledgeBase } from '../tokens';
import { noteFile } from '../model/newNote';

/** What the fields hold, and what the server said to it. */
class Draft {
  constructor(
    readonly kb: IKnowledgeBase,
    public name: string,
    public folder: string
  ) {
    kb.client.tree().then(
      tree => this.set({ folders: allFolders(tree) }),
      () => undefined // the field can be filled without suggestions
    );
  }

  folders: readonly string[] = [];
  problem: string | null = null;

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get file(): string | null {
    return noteFile(this.name, this.folder);
  }

  set(values: Partial<Pick<Draft, 'name' | 'folder' | 'folders' | 'problem'>>): void {
    Object.assign(this, { ...('folders' in values ? {} : { problem: null }), ...values });
    this._changed.emit();
  }

  /** The path of the new note; null where the server refuses, and `problem` says why. */
  async make(): Promise<string | null> {
    const { trans } = this.kb;
    const file = this.file;
    if (file === null) {
      this.set({ problem: trans.__('A note needs a name.') });
      return null;
    }
    const title = file.slice(file.lastIndexOf('/') + 1).replace(/\.md$/i, '');
    try {
      return (await this.kb.client.createNote(file, `# ${title}\n`)).file;
    } catch (error) {
      this.set({ problem: this._reason(error) });
      return null;
    }
  }

  private _reason(error: unknown): string {
    const { trans } = this.kb;
    if (!(error instanceof ApiError)) {
      return String(error);
    }
    if (error.code === 'note-exists') {
      return trans.__('There is a note with this name already.');
    }
    if (error.code === 'unreachable') {
      return trans.__('No answer from the server. The note was not made.');
    }
    const text = error.hint ? `${error.message}; ${error.hint}` : error.message;
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }

  private readonly _changed = new Signal<this, void>(this);
}

class Body extends ReactWidget {
  constructor(private readonly _draft: Draft) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-create');
  }

  protected override render(): JSX.Element {
    return <Fields draft={this._draft} />;
  }
}

function Fields({ draft }: { draft: Draft }): JSX.Element {
  useSignals(draft.changed);
  const id = useId();
  const { trans } = draft.kb;
  const { problem, file } = draft;
  return (
    <>
      <label htmlFor={`${id}-name`}>{trans.__('Name')}</label>
      <div className={`jp-kb-field ${problem ? 'jp-kb-mod-wrong' : ''}`}>
        <input
          id={`${id}-name`}
          className="jp-kb-create-name"
          value={draft.name}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={problem !== null}
          aria-describedby={`${id}-problem`}
          onChange={event => draft.set({ name: event.target.value })}
        />
      </div>
      <p id={`${id}-problem`} className="jp-kb-create-problem" role="alert">
        {problem}
      </p>
      <label htmlFor={`${id}-folder`}>{trans.__('Folder')}</label>
      <div className="jp-kb-field">
        <input
          id={`${id}-folder`}
          value={draft.folder}
          list={`${id}-folders`}
          spellCheck={false}
          autoComplete="off"
          placeholder={trans.__('The notes’ own folder')}
          onChange={event => draft.set({ folder: event.target.value })}
        />
      </div>
      <datalist id={`${id}-folders`}>
        {draft.folders.map(folder => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <p className="jp-kb-create-place">{file === null ? ' ' : trans.__('It will be %1', file)}</p>
    </>
  );
}

/** A dialog that closes only when the note is made, or when it is given up. */
class CreateDialog extends Dialog<void> {
  constructor(
    private readonly _draft: Draft,
    options: Partial<Dialog.IOptions<void>>
  ) {
    super(options);
    this.addClass('jp-kb-dialog');
  }

  made: string | null = null;

  override resolve(index?: number): void {
    if (index === 0) {
      super.resolve(0);
      return;
    }
    if (!this._asking) {
      this._asking = true;
      void this._draft.make().then(file => {
        this._asking = false;
        this.made = file;
        if (file !== null) {
          super.resolve(1);
        } else {
          this.node.querySelector<HTMLElement>('.jp-kb-create-name')?.focus();
        }
      });
    }
  }

  private _asking = false;
}

/** Ask for a note and make it. Its path, or null where there is none after all. */
export async function askForNote(kb: IKnowledgeBase, name: string, folder: string): Promise<string | null> {
  const { trans } = kb;
  const [parts, own] = [name.split('/').slice(0, -1), name.slice(name.lastIndexOf('/') + 1)];
  const draft = new Draft(kb, own, parts.length ? parts.join('/') : folder);
  const dialog = new CreateDialog(draft, {
    title: trans.__('Create note'),
    body: new Body(draft),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Create note') })
    ],
    defaultButton: 1,
    focusNodeSelector: '.jp-kb-create-name'
  });
  await dialog.launch();
  return dialog.made;
}

function allFolders(tree: FolderNode): string[] {
  return [tree.path, ...tree.folders.flatMap(allFolders)].filter(path => path !== '');
}
