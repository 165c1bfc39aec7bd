// The commands for sections, for every caller: the outline, the section editor, the palette.
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import type { ReadonlyJSONObject, ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { Commands } from '../commands';
import type { Outcome, SectionCommands, Where } from '../dialogs/sections';
import type { SectionPlace } from '../model/sectionPlaces';
import { IKnowledgeBase, INavigator, type Place } from '../tokens';

type Arguments = ReadonlyPartialJSONObject;

export const sections: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-kb:sections',
  description: 'Commands that insert, rename, move and delete sections of notes.',
  autoStart: true,
  requires: [IKnowledgeBase, INavigator],
  optional: [ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    kb: IKnowledgeBase,
    navigator: INavigator,
    palette: ICommandPalette | null
  ) => {
    const { trans } = kb;
    const again = (place: Place): void => void navigator.open(place);

    const run = async (
      args: Arguments,
      act: (commands: SectionCommands, place: SectionPlace) => Promise<Outcome | void>
    ): Promise<Outcome | void> => {
      const [dialogs, places] = await Promise.all([
        import('../dialogs/sections'),
        import('../model/sectionPlaces')
      ]);
      const place = args['file'] ? (args as unknown as Place) : navigator.current;
      const hash = typeof args['hash'] === 'string' ? args['hash'] : null;
      const commands = new dialogs.SectionCommands(kb, again);
      return commands.at(place && places.findSection(kb.client, place, hash), found => act(commands, found));
    };

    const add = (
      id: string,
      label: (args: Arguments) => string,
      act: (commands: SectionCommands, place: SectionPlace, args: Arguments) => Promise<Outcome | void>
    ): void => {
      app.commands.addCommand(id, {
        label,
        isEnabled: args => kb.state === 'ready' && (Boolean(args['file']) || navigator.current !== null),
        execute: args => run(args, (commands, place) => act(commands, place, args))
      });
    };

    add(
      Commands.insert,
      args =>
        args['where'] === 'before'
          ? trans.__('Insert Section Before…')
          : args['where'] === 'child'
            ? trans.__('Insert Subsection…')
            : trans.__('Insert Section After…'),
      async (commands, place, args) => {
        const made = await commands.insert(place, (args['where'] as Where | undefined) ?? 'after');
        if (made && args['open'] !== false) {
          await navigator.open({ file: made.file, line: made.line });
        }
        return made;
      }
    );
    add(
      Commands.rename,
      () => trans.__('Rename Section…'),
      (commands, place) => commands.rename(place)
    );
    add(
      Commands.remove,
      () => trans.__('Delete Section…'),
      (commands, place) => commands.remove(place)
    );
    add(
      Commands.move,
      args => (args['by'] === -1 ? trans.__('Move Section Up') : trans.__('Move Section Down')),
      (commands, place, args) => {
        const { target, place: side, by } = args;
        const beside = side === 'before' ? 'before' : 'after';
        return commands.move(
          place,
          typeof target === 'string' ? { target, place: beside } : by === -1 ? -1 : 1
        );
      }
    );
    add(
      Commands.copyLink,
      () => trans.__('Copy Section Link'),
      (commands, place) => commands.copyLink(place.file, place.node)
    );

    const category = trans.__('Knowledge Base');
    const inPalette: [string, ReadonlyJSONObject?][] = [
      [Commands.insert, { where: 'before' }],
      [Commands.insert, { where: 'after' }],
      [Commands.insert, { where: 'child' }],
      [Commands.rename],
      [Commands.remove],
      [Commands.move, { by: -1 }],
      [Commands.move, { by: 1 }],
      [Commands.copyLink]
    ];
    for (const [command, args = {}] of inPalette) {
      palette?.addItem({ command, category, args });
    }
  }
};
