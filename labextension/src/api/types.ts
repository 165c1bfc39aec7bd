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
export type SearchBody = Partial<Omit<Schemas['SearchBody'], 'filters'>> & { filters?: Filters };
export type Filters = Partial<Schemas['Filters']>;
export type NoteInfo = Schemas['NoteInfo'];
export type NotePage = Schemas['NotePage'];
export type Outline = Schemas['Outline'];
export type OutlineNode = Schemas['OutlineNode'];
export type FolderNode = Schemas['FolderNode'];
export type SectionContent = Schemas['SectionContent'];
export type SectionPatch = Partial<Omit<Schemas['SectionPatch'], 'section' | 'operation'>> & {
  section: SectionRef;
  operation?: Schemas['SectionPatch']['operation'] | 'insert_before' | 'move';
  /** Of `move`: the heading path of the section beside which this one goes, and on which side. */
  target?: string;
  place?: 'before' | 'after';
  /** Of `rename`: write the links to the heading anew, too. */
  update_links?: boolean;
};
export type SectionRef = Pick<Schemas['SectionRef'], 'file'> & Partial<Schemas['SectionRef']>;
export type EditResult = Schemas['EditResult'] & {
  /** Notes whose links to a renamed heading follow (or would), and those with links that cannot, with the reason. */
  links_updated?: readonly { file: string; title: string; count: number }[];
  links_left?: readonly { file: string; count: number; reason: string }[];
};
export type ResolvedLink = Schemas['ResolvedLink'];
export type LinkPage = Schemas['LinkPage'];
export type Graph = Schemas['Graph'];
export type GraphNode = Schemas['GraphNode'];
export type Diagnostic = Schemas['Diagnostic'];
export type DiagnosticPage = Schemas['DiagnosticPage'];
export type ErrorBody = Schemas['Error'];

/** A place where a note is named without a link: `text` stands at `span` (code points) of the line `context`. */
export interface Mention {
  source: Schemas['Provenance'];
  line: number;
  context: string;
  text: string;
  span: readonly [number, number];
  byte_range: Schemas['ByteRange'];
}
/** `more`: only some of the notes have been looked at so far. */
export interface MentionPage {
  mentions: Mention[];
  total: number;
  more: boolean;
}

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
