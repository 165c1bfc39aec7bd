// What wants attention in the notes, by kind: the note, the line, a sentence, one repair.
import { Commands } from '../../commands';
import { chooseHeading } from '../../dialogs/repair';
import type { Group, GroupId, Problem } from '../../model/diagnostics';
import { nameOf, splitTarget } from '../../model/linkList';
import { Caret, Count, LinkButton } from '../../ui/controls';
import { filterIcon } from '../graph/icons';
import { amount, folderOf } from '../../ui/text';
import type { DiagnosticsContext } from './context';

export function Problems({ context }: { context: DiagnosticsContext }): JSX.Element {
  const { kb, model } = context;
  const { trans } = kb;
  const notes = kb.status?.notes ?? 0;
  return (
    <>
      <div className="jp-kb-problems-head">
        <h3>{trans.__('Problems in notes')}</h3>
        {model.groups && <Count>{amount(model.total)}</Count>}
        <span className="jp-kb-fill" />
        <div className="jp-kb-field">
          <filterIcon.react tag="span" className="jp-kb-icon" />
          <input
            type="search"
            aria-label={trans.__('Filter by note or text')}
            placeholder={trans.__('Filter by note or text')}
            value={model.filter}
            onChange={event => model.setFilter(event.target.value)}
            onKeyDown={event => {
              if (event.key === 'Escape' && model.filter) {
                event.stopPropagation();
                model.setFilter('');
              }
            }}
          />
        </div>
      </div>
      <div className="jp-kb-problems" aria-busy={model.pending}>
        {model.problem ? (
          <p className="jp-kb-problems-none">
            {trans.__('The problems could not be read: %1', model.problem.message)}{' '}
            <LinkButton onClick={() => void model.check()}>{trans.__('Try again')}</LinkButton>
          </p>
        ) : model.groups === null ? (
          <p className="jp-kb-problems-none">{kb.state === 'ready' ? trans.__('Looking…') : ''}</p>
        ) : model.total === 0 ? (
          <p className="jp-kb-problems-none">
            {trans._n(
              'No problems found in %2 note.',
              'No problems found in %2 notes.',
              notes,
              amount(notes)
            )}
          </p>
        ) : model.shown.length === 0 ? (
          <p className="jp-kb-problems-none">{trans.__('No problem has this note or text.')}</p>
        ) : (
          model.shown.map(group => <Section key={group.id} context={context} group={group} />)
        )}
      </div>
    </>
  );
}

function Section({ context, group }: { context: DiagnosticsContext; group: Group }): JSX.Element {
  const { kb, model } = context;
  const { trans } = kb;
  const names: Record<GroupId, [string, string]> = {
    broken: [trans.__('Broken links'), ''],
    ambiguous: [
      trans.__('Links with several meanings'),
      trans.__('Write the folder too, so that one note is meant')
    ],
    aliases: [trans.__('Same alias twice'), trans.__('Links by these names may reach another note')],
    properties: [trans.__('Properties not readable'), ''],
    unread: [trans.__('Not indexed'), trans.__('Search does not find these')],
    headings: [trans.__('Too many headings'), ''],
    patterns: [trans.__('Patterns not understood'), trans.__('Files that these shall leave out are read')],
    meaning: [trans.__('Not found by meaning'), trans.__('Text search finds these')]
  };
  const open = !model.folded.has(group.id);
  const [title, note] = names[group.id];
  const left = group.total - group.problems.length;
  return (
    <section aria-label={title}>
      <button
        type="button"
        className="jp-kb-problems-group"
        aria-expanded={open}
        onClick={() => model.toggle(group.id)}
      >
        <Caret open={open} />
        <b>{title}</b>
        <Count>{amount(group.total)}</Count>
        <span className="jp-kb-fill" />
        <span className="jp-kb-small jp-kb-dim jp-kb-cut">{note}</span>
      </button>
      {open && (
        <ul>
          {group.problems.map(problem => (
            <Row key={problem.id} context={context} problem={problem} group={group.id} />
          ))}
          {left > 0 && !model.filter && (
            <li className="jp-kb-problem">
              <span className="jp-kb-small">
                <LinkButton onClick={() => void model.more(group.id)}>
                  {trans.__('Show %1 more', amount(left))}
                </LinkButton>
              </span>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function Row(props: { context: DiagnosticsContext; problem: Problem; group: GroupId }): JSX.Element {
  const { context, problem, group } = props;
  const { kb, navigator } = context;
  const sentence = sentenceOf(context, problem);
  const isNote = /\.md$/i.test(problem.file);
  const go = (): void => void navigator.open({ file: problem.file, line: problem.line });
  return (
    <li className="jp-kb-problem">
      <span className="jp-kb-small jp-kb-cut" title={problem.file}>
        {isNote ? <LinkButton onClick={go}>{problem.file}</LinkButton> : problem.file}
      </span>
      <Count>{problem.line}</Count>
      <span
        className="jp-kb-small jp-kb-cut"
        title={[problem.message, problem.hint].filter(Boolean).join('\n')}
      >
        {sentence}
      </span>
      <span className="jp-kb-small">
        <Repair
          context={context}
          problem={problem}
          group={group}
          open={isNote ? go : null}
          label={kb.trans.__('Open')}
        />
      </span>
    </li>
  );
}

function sentenceOf({ kb: { trans } }: DiagnosticsContext, problem: Problem): string {
  const { broken } = problem;
  if (broken) {
    const [name, fragment] = splitTarget(broken.link.raw_target);
    const file = broken.link.target?.file ?? broken.link.candidates[0]?.file;
    const note = file ? nameOf(file) : name;
    switch (broken.fault) {
      case 'no-note':
        return trans.__('No note is named “%1”', name);
      case 'no-file':
        return trans.__('No file is named “%1”', name);
      case 'no-heading':
        return trans.__('“%1” has no heading “%2”', note, fragment ?? '');
      case 'no-block':
        return trans.__('“%1” has no block “%2”', note, fragment ?? '');
      case 'several-notes':
        return trans.__('Several notes are named “%1”', name);
      case 'several-headings':
        return trans.__('“%1” has several headings “%2”', note, fragment ?? '');
    }
  }
  const text = problem.message;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function Repair(props: {
  context: DiagnosticsContext;
  problem: Problem;
  group: GroupId;
  open: (() => void) | null;
  label: string;
}): JSX.Element | null {
  const { context, problem, open, label } = props;
  const { kb, model, commands } = context;
  const { trans } = kb;
  const { broken, file } = problem;
  if (broken?.fault === 'no-note' && commands.hasCommand(Commands.createNote)) {
    const [name] = splitTarget(broken.link.raw_target);
    const make = async (): Promise<void> => {
      await commands.execute(Commands.createNote, { name, folder: folderOf(file), open: false });
      await model.check();
    };
    return <LinkButton onClick={() => void make()}>{trans.__('Create note')}</LinkButton>;
  }
  if (broken && ['no-heading', 'no-block', 'several-headings'].includes(broken.fault)) {
    const target = broken.link.target?.file ?? broken.link.candidates[0]?.file;
    if (target) {
      const choose = async (button: Element): Promise<void> => {
        if (await chooseHeading(kb, broken, target, button)) {
          await model.check();
        }
      };
      return (
        <LinkButton onClick={event => void choose(event.currentTarget)}>
          {trans.__('Choose heading')}
        </LinkButton>
      );
    }
  }
  return open && <LinkButton onClick={open}>{label}</LinkButton>;
}
