// Where a text goes that cannot take its section's place: into a section of its own. No DOM.
import type { Client } from '../api/client';
import { ApiError } from '../api/request';
import { flat, sectionNamed } from './places';

/**
 * Write a section behind the one of a heading path; where that is gone, as the last one below its parent, else as the last
 * one of the note. Gives its heading path.
 *
 * Throws `ApiError`; nothing is written then.
 */
export async function insertAsNew(
  client: Client,
  file: string,
  headingPath: string | null,
  heading: string,
  body: string
): Promise<string | null> {
  const outline = await client.outline(file);
  const here = headingPath === null ? null : sectionNamed(outline, headingPath);
  // a heading may hold ' > ' itself: the parent is the longest path that this one goes on from
  const above = here
    ? []
    : flat(outline.sections).filter(node => headingPath?.startsWith(`${node.heading_path} > `));
  const parent = above.sort((a, b) => b.heading_path.length - a.heading_path.length)[0] ?? null;
  const anchor = here ?? parent ?? outline.sections.at(-1);
  if (!anchor) {
    throw new ApiError('section-not-found', 'the note has no section left', 404);
  }
  const result = await client.edit(
    {
      section: { file, heading_path: anchor.heading_path, exact: true },
      operation: anchor === parent ? 'insert_child' : 'insert_after',
      heading,
      body
    },
    anchor.content_hash
  );
  return result.heading_path;
}

/** A section's text as a heading and what stands below it. `level` is 0 where it does not begin with one. */
export function parted(text: string): { heading: string; level: number; body: string } {
  const [first = '', ...rest] = text.split('\n');
  const marks = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(first);
  if (marks) {
    return { heading: (marks[2] ?? '').trim(), level: marks[1]?.length ?? 0, body: rest.join('\n') };
  }
  if (/^(?:=+|-+)[ \t]*$/.test(rest[0] ?? '') && first.trim()) {
    return { heading: first.trim(), level: rest[0]?.startsWith('=') ? 1 : 2, body: rest.slice(1).join('\n') };
  }
  return { heading: '', level: 0, body: text };
}
