// Links of the note that lead nowhere, each with what is wrong and what can be done about it.
import { Commands } from '../../commands';
import { chooseHeading } from '../../dialogs/repair';
import { type BrokenLink, type Fault, splitTarget, written } from '../../model/linkList';
import { retarget, targetFor } from '../../model/linkRepair';
import { Count, LinkButton } from '../../ui/controls';
import { openMenu } from '../../ui/menu';
import { folderOf } from '../../ui/text';
import { Section } from './accordion';
import type { Host } from './host';

export function BrokenSection({ host }: { host: Host }): JSX.Element {
  const { model, kb } = host;
  const { trans } = kb;
  const broken = model.broken;
  return (
    <Section host={host} id="broken" title={trans.__('Broken links')} count={broken && broken.length}>
      {broken?.length ? (
        <ul className="jp-kb-broken">
          {broken.map(one => (
            <Broken key={one.id} host={host} broken={one} />
          ))}
        </ul>
      ) : (
        <p className="jp-kb-note-empty">{trans.__('Every link in this note leads somewhere.')}</p>
      )}
    </Section>
  );
}

interface Repair {
  /** On a narrow panel the shorter one is shown. */
  label: string;
  short?: string;
  run: (button: Element) => void;
}

function Broken({ host, broken }: { host: Host; broken: BrokenLink }): JSX.Element {
  const { trans } = host.kb;
  const { link, fault } = broken;
  const text = written(link);
  const repairs = repairsOf(host, broken);
  const [first, ...others] = repairs;
  return (
    <li>
      <div className="jp-kb-broken-link">
        <button
          type="button"
          className="jp-kb-link-button jp-kb-cut jp-kb-fill"
          title={text}
          onClick={() => host.go({ file: link.source.file, line: link.line }, 'open', [text])}
        >
          {text}
        </button>
        <Count>{trans.__('line %1', link.line)}</Count>
      </div>
      <div className="jp-kb-small jp-kb-dim">{sentence(host, fault)}</div>
      {first && (
        <div className="jp-kb-broken-repairs jp-kb-small">
          <LinkButton onClick={event => first.run(event.currentTarget)}>
            <Label repair={first} />
          </LinkButton>
          {others.map(repair => (
            <span key={repair.label} className="jp-kb-wide-only">
              <LinkButton onClick={event => repair.run(event.currentTarget)}>{repair.label}</LinkButton>
            </span>
          ))}
          {others.length > 0 && (
            <span className="jp-kb-narrow-only">
              <LinkButton
                onClick={event => {
                  const button = event.currentTarget;
                  void openMenu(
                    others.map(repair => ({ label: repair.label, run: () => repair.run(button) })),
                    button
                  );
                }}
              >
                {trans.__('More…')}
              </LinkButton>
            </span>
          )}
        </div>
      )}
    </li>
  );
}

function Label({ repair }: { repair: Repair }): JSX.Element {
  return repair.short ? (
    <>
      <span className="jp-kb-wide-only">{repair.label}</span>
      <span className="jp-kb-narrow-only">{repair.short}</span>
    </>
  ) : (
    <>{repair.label}</>
  );
}

function sentence(host: Host, fault: Fault): string {
  const { trans } = host.kb;
  return {
    'no-note': trans.__('No note has this name.'),
    'no-file': trans.__('No file has this name.'),
    'no-heading': trans.__('The note exists, the heading does not.'),
    'no-block': trans.__('The note exists, the block does not.'),
    'several-notes': trans.__('Several notes have this name.'),
    'several-headings': trans.__('Several headings have this text.')
  }[fault];
}

function repairsOf(host: Host, broken: BrokenLink): Repair[] {
  const { trans, client } = host.kb;
  const { link, fault, suggestion } = broken;
  const [name, fragment] = splitTarget(link.raw_target);
  const to = (target: string): void =>
    void host.change(link.source.heading_path, () => retarget(client, broken, target));
  switch (fault) {
    case 'no-note': {
      const repairs: Repair[] = [];
      if (host.has(Commands.createNote)) {
        const args = { name, folder: folderOf(link.source.file) };
        repairs.push({
          label: trans.__('Create note'),
          run: () => void host.run(Commands.createNote, args).then(() => host.model.reload())
        });
      }
      if (suggestion !== null) {
        repairs.push({
          label: trans.__('Link to “%1” instead', suggestion),
          run: () => to(fragment === null ? suggestion : `${suggestion}#${fragment}`)
        });
      }
      return repairs;
    }
    case 'no-heading':
    case 'no-block':
    case 'several-headings': {
      const file = link.target?.file ?? link.candidates[0]?.file;
      return file
        ? [
            {
              label: trans.__('Choose a heading…'),
              short: trans.__('Choose…'),
              run: button =>
                void chooseHeading(host.kb, broken, file, button).then(changed =>
                  changed ? host.model.reload() : undefined
                )
            }
          ]
        : [];
    }
    case 'several-notes':
      return [
        {
          label: trans.__('Choose a note…'),
          short: trans.__('Choose…'),
          run: button => {
            const files = [...new Set(link.candidates.map(candidate => candidate.file))];
            const entries = files.map(file => ({
              label: file,
              run: () => {
                void host.change(link.source.heading_path, async () => {
                  const target = await targetFor(client, file, null);
                  await retarget(client, broken, fragment === null ? target : `${target}#${fragment}`);
                });
              }
            }));
            void openMenu(entries, button);
          }
        }
      ];
    case 'no-file':
      return [];
  }
}
