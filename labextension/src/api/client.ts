// The operations of one vault over HTTP, a method each; types are the server's own.
import type { ServerConnection } from '@jupyterlab/services';

import { type Options, request } from './request';
import type {
  DiagnosticPage,
  EditResult,
  FolderNode,
  Graph,
  LinkPage,
  MentionPage,
  NotePage,
  Outline,
  ResolvedTarget,
  SearchBody,
  SearchResults,
  SectionContent,
  SectionPatch,
  SectionRef,
  Status,
  Vault
} from './types';

type Signal = AbortSignal | undefined;

/** All vaults that the server offers. */
export async function listVaults(
  settings: ServerConnection.ISettings,
  signal?: AbortSignal
): Promise<Vault[]> {
  return (await request<{ vaults: Vault[] }>(settings, 'vaults', signal ? { signal } : {})).vaults;
}

export class Client {
  constructor(
    readonly settings: ServerConnection.ISettings,
    readonly vault: string
  ) {}

  status(signal?: Signal): Promise<Status> {
    return this.ask('status', { signal });
  }

  search(body: SearchBody, signal?: Signal): Promise<SearchResults> {
    return this.ask('search', { method: 'POST', body, signal });
  }

  notes(
    query: { query?: string; folder?: string; limit?: number; offset?: number },
    signal?: Signal
  ): Promise<NotePage> {
    return this.ask('notes', { query, signal });
  }

  tree(folder = '', signal?: Signal): Promise<FolderNode> {
    return this.ask('tree', { query: { folder }, signal });
  }

  outline(file: string, signal?: Signal): Promise<Outline> {
    return this.ask('outline', { query: { file }, signal });
  }

  /** The exact text of a section; `children` false leaves the sections below it out. */
  section(ref: SectionRef, children = true, signal?: Signal): Promise<SectionContent> {
    const { file, heading_path, line, exact } = ref;
    // each heading by itself: a heading may hold the separator of joined paths
    const heading = Array.isArray(heading_path) ? heading_path : undefined;
    const joined = typeof heading_path === 'string' ? heading_path : undefined;
    return this.ask('section', {
      query: { file, heading, heading_path: joined, line, exact, children },
      signal
    });
  }

  /** Change a section; `hash` is that of the text which the change replaces, as it was read. */
  edit(patch: SectionPatch, hash: string, signal?: Signal): Promise<EditResult> {
    return this.ask('section', {
      method: 'PATCH',
      body: patch,
      headers: { 'If-Match': `"${hash}"` },
      signal
    });
  }

  links(
    query: {
      file: string;
      heading_path?: string | null;
      direction?: 'in' | 'out' | 'both';
      limit?: number;
      offset?: number;
    },
    signal?: Signal
  ): Promise<LinkPage> {
    return this.ask('links', { query, signal });
  }

  graph(
    query: { file?: string | null; depth?: number; limit?: number; offset?: number },
    signal?: Signal
  ): Promise<Graph> {
    return this.ask('graph', { query, signal });
  }

  diagnostics(
    query: { path?: string; kind?: string; limit?: number; offset?: number },
    signal?: Signal
  ): Promise<DiagnosticPage> {
    return this.ask('diagnostics', { query, signal });
  }

  async suggestions(file: string, signal?: Signal): Promise<string[]> {
    return (await this.ask<{ suggestions: string[] }>('suggestions', { query: { file }, signal }))
      .suggestions;
  }

  /** Markdown as safe HTML, its wikilinks resolved as if it stood in `file`. */
  async render(markdown: string, file: string | null, signal?: Signal): Promise<string> {
    return (await this.ask<{ html: string }>('render', { method: 'POST', body: { markdown, file }, signal }))
      .html;
  }

  async reindex(signal?: Signal): Promise<void> {
    await this.ask('reindex', { method: 'POST', body: {}, signal });
  }

  mentions(query: { file: string; limit?: number; offset?: number }, signal?: Signal): Promise<MentionPage> {
    return this.ask('mentions', { query, signal });
  }

  /** What targets of wikilinks mean that stand, or may come to stand, in `file`; at most 500. In their order. */
  async resolve(file: string | null, targets: readonly string[], signal?: Signal): Promise<ResolvedTarget[]> {
    return (
      await this.ask<{ targets: ResolvedTarget[] }>('resolve', {
        method: 'POST',
        body: { file, targets },
        signal
      })
    ).targets;
  }

  /** Ask for anything below this vault. */
  ask<T>(path: string, options: Omit<Options, 'signal'> & { signal?: Signal } = {}): Promise<T> {
    const { signal, ...rest } = options;
    return request<T>(
      this.settings,
      `vaults/${encodeURIComponent(this.vault)}/${path}`,
      signal ? { ...rest, signal } : rest
    );
  }
}
