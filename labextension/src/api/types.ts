// The server's values by their names: generated types, given short names and nothing else.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Vault = Schemas['VaultInfo'];
export type Status = Schemas['Status'];
export type ModelStatus = Schemas['ModelStatus'];
export type Hit = Schemas['Hit'];
export type SearchResults = Schemas['SearchResults'];
export type SearchBody = Partial<Omit<Schemas['SearchBody'], 'filters'>> & { filters?: Filters };
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
export type UpdatedLinks = Schemas['UpdatedLinks'];
export type LinkTarget = Schemas['LinkTarget'];
export type Mention = Schemas['Mention'];
export type MentionPage = Schemas['MentionPage'];
export type ResolvedTarget = Schemas['ResolvedTarget'];
export type Facets = Schemas['Facets'];
export type ApiIndex = Schemas['ApiIndex'];
export type Provenance = Schemas['Provenance'];
