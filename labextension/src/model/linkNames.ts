// How a wikilink names a note or section, so that the server takes it for just that one. No DOM.
import type { LinkResolver } from './resolver';

/** The shortest name of a note that is understood: its file's or its title, else its path. `from`: the note that links. */
export async function nameOf(
  resolver: LinkResolver,
  note: { file: string; title: string },
  from: string | null
): Promise<string> {
  const path = note.file.replace(/\.md$/i, '');
  const stem = path.slice(path.lastIndexOf('/') + 1);
  const names = [stem, note.title].filter(name => name !== '' && !/[[\]|#^\n]/.test(name));
  const found = await Promise.all(names.map(name => resolver.resolve(from, name)));
  const meant = names.filter((_, index) => {
    const one = found[index];
    return one?.status === 'resolved' && one.target?.file === note.file;
  });
  return meant.sort((a, b) => a.length - b.length)[0] ?? path;
}

/** `name#Heading`, with as many of the headings above it as it takes. */
export async function sectionTarget(
  resolver: LinkResolver,
  name: string,
  headingPath: string,
  from: string | null
): Promise<string> {
  const headings = headingPath.split(' > ').map(plain);
  const targets = headings.map(
    (_, index) => `${name}#${headings.slice(headings.length - 1 - index).join('#')}`
  );
  const found = await Promise.all(targets.map(target => resolver.resolve(from, target)));
  const index = found.findIndex(
    one => one?.status === 'resolved' && one.target?.heading_path === headingPath
  );
  return targets[Math.max(0, index)] ?? name;
}

/** The whole link to a note or section, as it can be put into any note. */
export async function linkTo(
  resolver: LinkResolver,
  note: { file: string; title: string },
  headingPath: string | null
): Promise<string> {
  const name = await nameOf(resolver, note, null);
  return `[[${headingPath ? await sectionTarget(resolver, name, headingPath, null) : name}]]`;
}

/** A heading without what would end the link. */
function plain(heading: string): string {
  return heading
    .replace(/[[\]|#^\n]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
