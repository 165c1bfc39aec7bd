// The card that shows what a link leads to: the section's first lines, or which name no note has.
import { ellipsesIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { LinkPreview } from '../model/linkPreview';
import { shownText } from '../model/linkTargets';
import { Button, Chip, IconButton } from '../ui/controls';
import { brokenLinkIcon, pinIcon } from '../ui/icons';
import { ago, languageOf } from '../ui/text';
import type { Destination } from './following';
import { linkedFrom, placeOf } from './previewText';

export interface CardActions {
  open: () => void;
  edit: (() => void) | null;
  copy: () => void;
  pin: () => void;
  create: (() => void) | null;
  relink: ((name: string) => void) | null;
}

export function PreviewCard(props: {
  preview: LinkPreview;
  actions: CardActions;
  trans: TranslationBundle;
}): JSX.Element {
  const { preview, actions, trans } = props;
  const place = placeOf(preview);
  const tag = preview.tags[0];
  return (
    <>
      <div className="jp-kb-card-body">
        <div className="jp-kb-card-head">
          <h3 className="jp-kb-cut" title={preview.title} lang={languageOf(preview.title)}>
            {preview.title}
          </h3>
          {tag && <Chip>#{tag}</Chip>}
        </div>
        <p className="jp-kb-card-place jp-kb-cut" title={place}>
          {place}
        </p>
        {preview.html ? (
          <div
            className="jp-kb-card-text"
            lang={languageOf(preview.html)}
            dangerouslySetInnerHTML={{ __html: preview.html }}
          />
        ) : (
          <p className="jp-kb-card-text jp-kb-dim">{trans.__('No text here yet.')}</p>
        )}
        <p className="jp-kb-card-facts">{facts(preview, trans)}</p>
      </div>
      <div className="jp-kb-card-actions">
        <Button kind="quiet" onClick={actions.open}>
          {trans.__('Open')}
        </Button>
        {actions.edit && (
          <Button kind="quiet" onClick={actions.edit}>
            {trans.__('Edit section')}
          </Button>
        )}
        <Button kind="quiet" onClick={actions.copy}>
          {trans.__('Copy link')}
        </Button>
        <span className="jp-kb-fill" />
        <IconButton icon={pinIcon} label={trans.__('Pin as a tab')} onClick={actions.pin} />
      </div>
    </>
  );
}

export function MissingCard(props: {
  destination: Destination;
  actions: CardActions;
  trans: TranslationBundle;
}): JSX.Element {
  const { destination, actions, trans } = props;
  const [closest] = destination.suggestions;
  return (
    <>
      <div className="jp-kb-card-body">
        <div className="jp-kb-card-head jp-kb-mod-missing">
          <brokenLinkIcon.react tag="span" className="jp-kb-icon" />
          <h3 className="jp-kb-cut" title={shownText(destination.target)}>
            {shownText(destination.target)}
          </h3>
        </div>
        <p className="jp-kb-card-reason">{reasonOf(destination, trans)}</p>
      </div>
      <div className="jp-kb-card-actions">
        {destination.file !== null ? (
          <Button kind="quiet" onClick={actions.open}>
            {trans.__('Open')}
          </Button>
        ) : (
          actions.create && (
            <Button kind="quiet" onClick={actions.create}>
              {trans.__('Create note')}
            </Button>
          )
        )}
        {closest !== undefined && actions.relink && (
          <Button kind="quiet" onClick={() => actions.relink?.(closest)} title={closest}>
            <span className="jp-kb-cut">{trans.__('Link to “%1”', closest)}</span>
          </Button>
        )}
      </div>
    </>
  );
}

/** While the text is on its way, which takes longer than one notices only on a slow connection. */
export function WaitingCard({ trans }: { trans: TranslationBundle }): JSX.Element {
  return (
    <div className="jp-kb-card-body jp-kb-dim" role="status">
      <ellipsesIcon.react tag="span" className="jp-kb-icon" /> {trans.__('Reading…')}
    </div>
  );
}

export function reasonOf(destination: Destination, trans: TranslationBundle): string {
  if (destination.file !== null) {
    return trans.__('The note exists, the heading does not.');
  }
  const [closest] = destination.suggestions;
  if (closest !== undefined) {
    return trans.__('No note has this name. Closest: “%1”.', closest);
  }
  // the server's own words where it is another matter: several notes have the name, a path leads out of the vault
  return destination.reason && !/^no /.test(destination.reason)
    ? `${destination.reason.charAt(0).toUpperCase()}${destination.reason.slice(1)}.`
    : trans.__('No note has this name.');
}

function facts(preview: LinkPreview, trans: TranslationBundle): string {
  const links = linkedFrom(preview, trans);
  return preview.modified === null ? links : `${trans.__('Edited %1', ago(preview.modified))} · ${links}`;
}
