// The server's values by their names: generated types, given short names and nothing else.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Vault = Schemas['VaultInfo'] & {
  /** The vault's root below Jupyter's root, '' where they are the same; null where it lies elsewhere. */
  contents_path?: string | null;
};
export type Status = Schemas['Status'];
export type ModelStatus = Schemas['ModelStatus'];
export type Hit = Schemas['Hit'];
export type SearchResults = Schemas['SearchResults'];
export type SearchBody = Partial<Schemas['SearchBody']>;
export type Filters = Partial<Schemas['Filters']>;
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

/** What the target of a wikilink means. A missing heading keeps the note that was found as `target`. */
export interface ResolvedTarget {
  raw_target: string;
  status: 'resolved' | 'ambiguous' | 'missing';
  target: LinkTarget | null;
  candidates: LinkTarget[];
  reason: string | null;
  /** Up to three names of notes near one that is missing, as a link may name them. */
  suggestions: string[];
}
export type LinkTarget = Schemas['LinkTarget'];
