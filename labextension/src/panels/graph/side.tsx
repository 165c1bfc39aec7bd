// The column beside the graph: the note that is looked at, and what the marks mean.
import { Commands } from '../../commands';
import { Chip, KeyHint, LinkButton } from '../../ui/controls';
import { ago, amount, languageOf } from '../../ui/text';
import { groupsOf } from './colours';
import { type GraphContext, openNote } from './context';

export function Side({ context }: { context: GraphContext }): JSX.Element {
  const { trans } = context.kb;
  return (
    <aside className="jp-kb-graph-side" aria-label={trans.__('About the note')}>
      <Note context={context} />
      <Legend context={context} />
    </aside>
  );
}

function Note({ context }: { context: GraphContext }): JSX.Element {
  const { kb, model, commands } = context;
  const { trans } = kb;
  const node = model.shown;
  const details = node && model.details?.file === node.file ? model.details : null;
  if (!node) {
    return (
      <div className="jp-kb-graph-note">
        <p className="jp-kb-small jp-kb-dim">
          {trans.__('Point at a note, or click it, to see what it is.')}
        </p>
      </div>
    );
  }
  return (
    <div className="jp-kb-graph-note" role="region" aria-label={trans.__('Note under the pointer')}>
      <h3 className="jp-kb-cut" title={node.title} lang={languageOf(node.title)}>
        {node.title}
      </h3>
      <div className="jp-kb-tiny jp-kb-dim jp-kb-graph-path">
        {node.missing ? trans.__('No note has this name.') : node.file.split('/').join(' / ')}
      </div>
      {details?.text && (
        <p className="jp-kb-small" lang={languageOf(details.text)}>
          {details.text}
        </p>
      )}
      {node.tags.length > 0 && (
        <div className="jp-kb-graph-tags">
          {node.tags.slice(0, 6).map(tag => (
            <Chip
              key={tag}
              title={trans.__('Search notes with this tag')}
              onClick={() => void commands.execute(Commands.search, { query: `#${tag}` })}
            >
              #{tag}
            </Chip>
          ))}
        </div>
      )}
      <dl className="jp-kb-small">
        {details?.linksOut !== undefined && details.linksOut !== null && (
          <>
            <dt>{trans.__('Links from here')}</dt>
            <dd>{amount(details.linksOut)}</dd>
          </>
        )}
        {details?.linkedFrom !== undefined && details.linkedFrom !== null && (
          <>
            <dt>{trans.__('Linked from')}</dt>
            <dd>{amount(details.linkedFrom)}</dd>
          </>
        )}
        {details?.modified !== undefined && details.modified !== null && (
          <>
            <dt>{trans.__('Edited')}</dt>
            <dd>{ago(details.modified)}</dd>
          </>
        )}
      </dl>
      {node.missing && commands.hasCommand(Commands.createNote) && (
        <LinkButton onClick={() => openNote(context, node.file)}>{trans.__('Create note')}</LinkButton>
      )}
      {kb.settings.hints && (
        <div className="jp-kb-graph-hints jp-kb-tiny jp-kb-dim">
          <KeyHint keys={['Enter']}>{trans.__('centre here')}</KeyHint>
          <KeyHint keys={['O']}>{trans.__('open note')}</KeyHint>
          <KeyHint keys={['↑ ↓ ← →']}>{trans.__('next neighbour')}</KeyHint>
        </div>
      )}
    </div>
  );
}

function Legend({ context }: { context: GraphContext }): JSX.Element {
  const { kb, model } = context;
  const { trans } = kb;
  const around = model.centre.file !== null;
  const groups = groupsOf(model.picture.nodes.values(), model.colouring);
  const mark = (shapes: JSX.Element): JSX.Element => (
    <svg viewBox="0 0 16 12" aria-hidden="true">
      {shapes}
    </svg>
  );
  return (
    <div className="jp-kb-graph-legend" role="group" aria-label={trans.__('Legend')}>
      {groups.map((group, index) => (
        <div key={group}>
          {mark(<circle cx="8" cy="6" r="4" data-group={index} />)}
          <span className="jp-kb-cut" title={group} lang={languageOf(group)}>
            {model.colouring === 'tag' ? `#${group}` : group}
          </span>
        </div>
      ))}
      {around && (
        <div>
          {mark(<circle cx="8" cy="6" r="5" className="jp-kb-mod-centre" />)}
          <span>{trans.__('this note')}</span>
        </div>
      )}
      <div>
        {mark(
          <>
            <circle cx="3" cy="7" r="2.5" />
            <circle cx="11" cy="6" r="4" />
          </>
        )}
        <span>{trans.__('note, larger: more links')}</span>
      </div>
      {model.counts.missing > 0 && (
        <div>
          {mark(<circle cx="8" cy="6" r="4" className="jp-kb-mod-missing" />)}
          <span>{trans.__('missing note')}</span>
        </div>
      )}
      <div>
        {mark(<path d="M0 6h16" />)}
        <span>{trans.__('link')}</span>
      </div>
      {model.picture.similar.length > 0 && (
        <div>
          {mark(<path d="M0 6h16" className="jp-kb-mod-similar" />)}
          <span>{trans.__('similar meaning')}</span>
        </div>
      )}
    </div>
  );
}
