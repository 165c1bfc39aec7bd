// From what a caller of a command names to the section as it is now: its node in a fresh outline. No DOM.
import type { Client } from '../api/client';
import type { Outline, OutlineNode } from '../api/types';
import type { Place } from '../tokens';
import { sectionAt, sectionNamed } from './places';

/** A section of a note, with the hash that guards what is done with it. */
export interface SectionPlace {
  file: string;
  outline: Outline;
  node: OutlineNode;
}

/**
 * The section that a place names, or null where it names none. With `hash`, that of the section as the caller saw it, what is
 * done is refused if the section is another by now.
 */
export async function findSection(
  client: Client,
  place: Place,
  hash: string | null = null
): Promise<SectionPlace | null> {
  const outline = await client.outline(place.file);
  const named = place.headingPath ? sectionNamed(outline, place.headingPath, place.line ?? null) : null;
  const node = named ?? (place.line && !place.headingPath ? sectionAt(outline, place.line) : null);
  if (!node || node.level === 0) {
    return null;
  }
  return { file: outline.file, outline, node: hash ? { ...node, content_hash: hash } : node };
}
