// The menus of the note panel: what can be done with a section, and with the note.
import { Commands } from '../../commands';
import type { MenuEntry } from '../../ui/menu';
import type { Host } from './host';

interface SectionArguments {
  file: string;
  headingPath: string;
  hash: string;
  [key: string]: string;
}

/** What can be done with a section of the outline. */
export function sectionMenu(
  host: Host,
  args: SectionArguments,
  move: (to: { by: number }) => Promise<void>
): MenuEntry[] {
  const { trans } = host.kb;
  const run =
    (command: string, more: Record<string, string> = {}): (() => void) =>
    () =>
      void host.run(command, { ...args, ...more });
  const place = { file: args.file, headingPath: args.headingPath };
  const entries: (MenuEntry | null)[] = [
    { label: trans.__('Open'), run: () => host.go(place, 'open') },
    { label: trans.__('Open to the Side'), run: () => host.go(place, 'beside') },
    host.has(Commands.edit) ? { label: trans.__('Edit Section'), run: () => host.go(place, 'edit') } : null,
    'separator',
    { label: trans.__('Insert Section Before…'), run: run(Commands.insert, { where: 'before' }) },
    { label: trans.__('Insert Section After…'), run: run(Commands.insert, { where: 'after' }) },
    { label: trans.__('Insert Subsection…'), run: run(Commands.insert, { where: 'child' }) },
    'separator',
    { label: trans.__('Rename Section…'), run: run(Commands.rename) },
    { label: trans.__('Delete Section…'), run: run(Commands.remove) },
    { label: trans.__('Move Up'), run: () => void move({ by: -1 }) },
    { label: trans.__('Move Down'), run: () => void move({ by: 1 }) },
    'separator',
    { label: trans.__('Copy Section Link'), run: run(Commands.copyLink) },
    host.has(Commands.insertIntoNotebook)
      ? { label: trans.__('Insert Section into Notebook'), run: run(Commands.insertIntoNotebook) }
      : null
  ];
  return entries.filter(entry => entry !== null);
}
