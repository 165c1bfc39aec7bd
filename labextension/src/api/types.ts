// The server's values by their names: generated types, given short names and nothing else.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Vault = Schemas['VaultInfo'] & {
  /** The vault's root below Jupyter's root, '' where they are the same; null where it lies elsewhere. */
  contents_path?: string | null;
};
export type ModelStatus = Schemas['ModelStatus'] & {
  paused?: boolean;
  seconds_left?: number | null;
};
export type Status = Omit<Schemas['Status'], 'model'> & { model: ModelStatus | null };
export type Hit = Schemas['Hit'];
export type SearchResults = Schemas['SearchResults'] & {
  /** Different notes among all hits. */
  notes?: number;
};
export type SearchBody = Partial<Omit<Schemas['SearchBody'], 'filters'>> & {
  filters?: Filters;
  /** Leave out what has no word of the query and is not much nearer than most. */
  only_near?: boolean;
};
export type Filters = Partial<Schemas['Filters']> & {
  /** Folders, `/` first for one at the root, `!` before that for one that is left out. */
  folders?: string[];
};
export type NoteInfo = Schemas['NoteInfo'];
export type NotePage = Schemas['NotePage'];
export type Outline = Schemas['Outline'];
export type OutlineNode = Schemas['OutlineNode'];
export type FolderNode = Schemas['FolderNode'];
export type SectionContent = Schemas['SectionContent'];
export type SectionPatch = Partial<Omit<Schemas['SectionPatch'], 'section'>> & { section: SectionRef };
export type SectionRef = Pick<Schemas['SectionRef'], 'file'> & Partial<Schemas['SectionRef']>;
export type EditResult = Schemas['EditResult'];
export type ResolvedLink = Schemas['ResolvedLink'];
export type LinkPage = Schemas['LinkPage'];
export type Graph = Schemas['Graph'];
export type GraphNode = Schemas['GraphNode'];
export type Diagnostic = Schemas['Diagnostic'];
export type DiagnosticPage = Schemas['DiagnosticPage'];
export type ErrorBody = Schemas['Error'];

/** Values that notes can be filtered by, most used first, each with the number of notes that have it. */
export interface Facets {
  notes: number;
  folders: { path: string; count: number }[];
  tags: { name: string; count: number }[];
  properties: {
    name: string;
    count: number;
    values: { value: string; count: number }[];
    more_values: number;
  }[];
  more_folders: number;
  more_tags: number;
  more_properties: number;
}
/** What the server says of itself. */
export interface ApiIndex {
  name: string;
  version: string;
}
