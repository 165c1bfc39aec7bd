// The vault in use: what the server offers, how it stands, what happens in it. No DOM.
import type { Event, ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type ISignal, Signal } from '@lumino/signaling';

import { Client, listVaults } from '../api/client';
import { type VaultEvent, vaultEvent } from '../api/events';
import { ApiError } from '../api/request';
import type { Status, Vault } from '../api/types';
import type { IKnowledgeBase, ISettingsValues, State } from '../tokens';

export const DEFAULT_SETTINGS: ISettingsValues = {
  openWith: 'default',
  hints: true,
  searchDelay: 180,
  hoverDelay: 350,
  showProblems: false,
  renderWikilinks: true
};

/** The least milliseconds between two readings of the status that events cause. */
const STATUS_EVERY = 1000;

export class KnowledgeBase implements IKnowledgeBase {
  constructor(
    private readonly _server: ServerConnection.ISettings,
    stream: Pick<Event.Stream, 'connect'>,
    readonly trans: TranslationBundle
  ) {
    stream.connect((_, emission) => this._hear(emission));
  }

  get state(): State {
    return this._state;
  }
  get problem(): ApiError | null {
    return this._problem;
  }
  get vaults(): readonly Vault[] {
    return this._vaults;
  }
  get vault(): Vault | null {
    return this._vault;
  }
  get status(): Status | null {
    return this._status;
  }
  get settings(): ISettingsValues {
    return this._settings;
  }
  get changed(): ISignal<this, void> {
    return this._changed;
  }
  get statusChanged(): ISignal<this, Status> {
    return this._statusChanged;
  }
  get settingsChanged(): ISignal<this, ISettingsValues> {
    return this._settingsChanged;
  }
  get events(): ISignal<this, VaultEvent> {
    return this._events;
  }

  get client(): Client {
    if (!this._client) {
      throw new ApiError('no-vault', 'no notes folder is in use', 0);
    }
    return this._client;
  }

  configure(values: Partial<ISettingsValues>): void {
    this._settings = { ...DEFAULT_SETTINGS, ...values };
    this._settingsChanged.emit(this._settings);
  }

  async refresh(): Promise<void> {
    try {
      this._vaults = await listVaults(this._server);
    } catch (error) {
      this._fail(error);
      return;
    }
    const found =
      this._vaults.find(vault => vault.name === this._wanted) ??
      this._vaults.find(vault => vault.is_default) ??
      this._vaults[0] ??
      null;
    this._use(found);
    await this.readStatus();
  }

  choose(name: string): void {
    this._wanted = name;
    const found = this._vaults.find(vault => vault.name === name);
    if (found && found.name !== this._vault?.name) {
      this._use(found);
      void this.readStatus();
    }
  }

  /** Read how the vault stands; a vault that cannot be used makes `state` 'failed'. */
  async readStatus(): Promise<void> {
    const client = this._client;
    if (!client) {
      return;
    }
    try {
      const status = await client.status();
      if (client === this._client) {
        this._status = status;
        if (this._state !== 'ready') {
          this._set('ready', null);
        }
        this._statusChanged.emit(status);
      }
    } catch (error) {
      if (client === this._client) {
        this._fail(error);
      }
    }
  }

  fileOf(contentsPath: string): string | null {
    const path = this.pathOf(contentsPath);
    return path !== null && /\.md$/i.test(path) ? path : null;
  }

  pathOf(contentsPath: string): string | null {
    const root = this._vault?.contents_path;
    if (root === undefined || root === null) {
      return null;
    }
    const path = contentsPath.replace(/^RTC:/, '').replace(/^\/+/, ''); // "RTC:lab/a.md" is lab/a.md
    return root === '' ? path : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;
  }

  contentsPathOf(file: string): string | null {
    const root = this._vault?.contents_path;
    return root === undefined || root === null ? null : root === '' ? file : `${root}/${file}`;
  }

  private _use(vault: Vault | null): void {
    if (vault?.name !== this._vault?.name || !this._client) {
      this._client = vault ? new Client(this._server, vault.name) : null;
      this._status = null;
    }
    this._vault = vault;
    this._set(vault ? 'ready' : 'empty', null);
  }

  private _fail(error: unknown): void {
    const problem = error instanceof ApiError ? error : new ApiError('unexpected', String(error), 0);
    this._set(problem.code === 'missing' ? 'missing' : 'failed', problem);
  }

  private _set(state: State, problem: ApiError | null): void {
    this._state = state;
    this._problem = problem;
    this._changed.emit();
  }

  private _hear(emission: Event.Emission): void {
    const event = vaultEvent(emission);
    if (!event || event.vault !== this._vault?.name) {
      return;
    }
    this._events.emit(event);
    if (this._timer === null) {
      this._timer = setTimeout(() => {
        this._timer = null;
        void this.readStatus();
      }, STATUS_EVERY);
    }
  }

  private _state: State = 'starting';
  private _problem: ApiError | null = null;
  private _vaults: Vault[] = [];
  private _vault: Vault | null = null;
  private _wanted: string | null = null;
  private _client: Client | null = null;
  private _status: Status | null = null;
  private _settings = DEFAULT_SETTINGS;
  private _timer: ReturnType<typeof setTimeout> | null = null;
  private _changed = new Signal<this, void>(this);
  private _statusChanged = new Signal<this, Status>(this);
  private _settingsChanged = new Signal<this, ISettingsValues>(this);
  private _events = new Signal<this, VaultEvent>(this);
}
