// Places that name the note without a link; looked for only once the section is opened.
import { useEffect } from 'react';

import { mentionId } from '../../model/linkList';
import { linkMention, targetFor } from '../../model/linkRepair';
import { LinkButton } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { Section } from './accordion';
import type { Host } from './host';
import { LinkTree } from './links';

export function MentionsSection({ host }: { host: Host }): JSX.Element {
  const { model, kb, layout } = host;
  const { trans } = kb;
  useSignals(layout.changed);
  const { mentions, file } = model;
  const open = layout.isOpen('mentions', false);
  useEffect(() => {
    if (open) {
      void model.loadMentions();
    } else {
      model.forgetMentions();
    }
  }, [model, open, file]);

  const linkIt = (id: string): void => {
    const mention = mentions?.find(other => mentionId(other) === id);
    if (mention && file !== null) {
      void host.change(mention.source.heading_path, async () =>
        linkMention(kb.client, mention, await targetFor(kb.client, file, null))
      );
    }
  };
  const title = trans.__('Mentioned without a link');
  return (
    <Section
      host={host}
      id="mentions"
      title={title}
      count={open && mentions?.length ? mentions.length : null}
    >
      {mentions === null ? (
        <p className="jp-kb-note-empty" role="status">
          {trans.__('Looking…')}
        </p>
      ) : mentions.length === 0 && !model.mentionsMore ? (
        <p className="jp-kb-note-empty">{trans.__('No other note mentions this name.')}</p>
      ) : (
        <LinkTree
          key={file}
          host={host}
          label={title}
          groups={model.mentionGroups}
          more={model.mentionsMore}
          onMore={() => void model.loadMentions()}
          control={link => (
            <span className="jp-kb-small">
              <LinkButton onClick={() => linkIt(link.id)}>{trans.__('Link it')}</LinkButton>
            </span>
          )}
        />
      )}
    </Section>
  );
}
