// What the plugins hand to each other: the knowledge base itself, and the way to open a place in it.
import type { TranslationBundle } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { Client } from './api/client';
import type { VaultEvent } from './api/events';
import type { ApiError } from './api/request';
import type { Status, Vault } from './api/types';
import type { NoteView } from './navigation/view';

/**
 * How the knowledge base stands. `missing`: no server part; `empty`: a server without vaults; `failed`: see `problem`.
 */
export type State = 'starting' | 'ready' | 'missing' | 'empty' | 'failed';

/** One vault as the interface sees it. Without DOM; every panel shares it. */
export interface IKnowledgeBase {
  readonly state: State;
  /** Why, where `state` is 'failed'. */
  readonly problem: ApiError | null;
  readonly vaults: readonly Vault[];
  /** The vault that is shown; null while `state` is not 'ready'. */
  readonly vault: Vault | null;
  /** Requests about the vault that is shown. Throws without one. */
  readonly client: Client;
  /** The newest status that was read, or null. `refresh` reads it; events keep its counts up to date. */
  readonly status: Status | null;
  readonly trans: TranslationBundle;
  readonly settings: ISettingsValues;
  /** `state`, `vault` or `vaults` is another. */
  readonly changed: ISignal<IKnowledgeBase, void>;
  readonly statusChanged: ISignal<IKnowledgeBase, Status>;
  readonly settingsChanged: ISignal<IKnowledgeBase, ISettingsValues>;
  /** What happened in the vault that is shown. */
  readonly events: ISignal<IKnowledgeBase, VaultEvent>;
  /** Ask the server again what it offers and how it stands. Never throws: see `state`. */
  refresh(): Promise<void>;
  /** Show another vault. */
  choose(name: string): void;
  /** The note at a path of Jupyter's contents (drives and real-time prefixes are taken off), or null. */
  fileOf(contentsPath: string): string | null;
  /** The path in the vault of any file at a path of Jupyter's contents, or null where it lies elsewhere. */
  pathOf(contentsPath: string): string | null;
  /** Where Jupyter's contents have a note, or null where the vault is not below Jupyter's root. */
  contentsPathOf(file: string): string | null;
}

export interface ISettingsValues {
  /** What a note opens in: JupyterLab's choice for Markdown, its editor, or its preview. */
  openWith: 'default' | 'editor' | 'preview';
  /** Key hints at the foot of panels. */
  hints: boolean;
  /** Milliseconds between the last key and a search. */
  searchDelay: number;
  /** Milliseconds before a link shows what it leads to; 0 for never. */
  hoverDelay: number;
  /** The number of problems in the status bar. */
  showProblems: boolean;
  /** Wikilinks in JupyterLab's own rendered Markdown. */
  renderWikilinks: boolean;
}

export const IKnowledgeBase = new Token<IKnowledgeBase>(
  'jupyter-kb:IKnowledgeBase',
  'The knowledge base of the vault in use.'
);

/** A note, one of its sections, or a line of it. `headingPath` as the server writes it (`A > B`). */
export interface Place {
  file: string;
  headingPath?: string | null;
  /** From 1; goes before `headingPath`. */
  line?: number | null;
}

export interface OpenOptions {
  /**
   * `peek`: in one tab that is used again, its title in italics, focus stays where it is; `open`: a tab of its own (or the
   * one that is there), focus goes in; `beside`: the same, in a split.
   */
  how?: 'peek' | 'open' | 'beside';
  /** Words to be marked for two seconds. */
  marks?: readonly string[];
}

export interface INavigator {
  /** Show a note in the main area, the section at the top. Shows a dialog or notice itself where that cannot be done. */
  open(place: Place, options?: OpenOptions): Promise<void>;
  /** Let a widget that shows a note in its own way count as that note. */
  follow(widget: Widget, file: string, view: NoteView): void;
  /** The note that is in front in the main area and where in it the reader is; null without one. */
  readonly current: Place | null;
  /** `current` is another note or another line (told at most ten times a second). */
  readonly currentChanged: ISignal<INavigator, Place | null>;
}

export const INavigator = new Token<INavigator>(
  'jupyter-kb:INavigator',
  'Opens notes and sections of the knowledge base.'
);
