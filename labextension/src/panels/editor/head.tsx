// Above the text: the place in the note, how the text stands, what can be done with it.
import {
  type LabIcon,
  addBelowIcon,
  caretDownIcon,
  checkIcon,
  deleteIcon,
  editIcon,
  saveIcon
} from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { MouseEvent, ReactNode } from 'react';

import type { SectionModel } from '../../model/section';
import type { Status } from '../../model/status';
import { Segmented } from '../../ui/controls';
import { useSignals } from '../../ui/hooks';
import { failedIcon, noteIcon } from '../../ui/icons';
import { clock, languageOf } from '../../ui/text';
import { Bars } from './bars';
import type { Actions, Layout } from './actions';

export interface HeadProps {
  model: SectionModel;
  layout: Layout;
  actions: Actions;
  trans: TranslationBundle;
}

export function Head(props: HeadProps): JSX.Element {
  const { model, layout } = props;
  useSignals(model.changed, layout.changed);
  return (
    <>
      <Header {...props} />
      {!model.merge && <Toolbar {...props} />}
      {!model.merge && <Bars {...props} />}
    </>
  );
}

function Header({ model, actions, trans }: HeadProps): JSX.Element {
  const { file, headingPath, outline } = model;
  const places = actions.trail();
  return (
    <header className="jp-kb-editor-header">
      <nav aria-label={trans.__('Place in the note')} className="jp-kb-trail">
        <noteIcon.react tag="span" className="jp-kb-icon" />
        <Crumb
          text={file.replace(/\//g, ' / ')}
          title={trans.__('Notes in this folder')}
          last={headingPath === null}
          onClick={event => void actions.notesMenu(event.currentTarget)}
        />
        {places.map((place, index) => (
          <Crumb
            key={place.headingPath}
            text={place.heading}
            title={trans.__('Sections beside “%1”', place.heading)}
            last={index === places.length - 1}
            {...(outline
              ? { onClick: event => actions.siblingsMenu(place.headingPath, event.currentTarget) }
              : {})}
          />
        ))}
      </nav>
      <State model={model} trans={trans} />
      {model.hash && (
        <span className="jp-kb-chip jp-kb-version" title={trans.__('Version the edit started from')}>
          {model.hash.slice(0, 7)}
          {model.merge && model.theirs && ` → ${model.theirs.content_hash.slice(0, 7)}`}
        </span>
      )}
    </header>
  );
}

function Crumb(props: {
  text: string;
  title: string;
  last: boolean;
  onClick?: (event: MouseEvent<HTMLElement>) => void;
}): JSX.Element {
  const { text, title, last, onClick } = props;
  return (
    <>
      <button
        type="button"
        className={`jp-kb-crumb${last ? ' jp-kb-mod-last' : ''}`}
        lang={languageOf(text)}
        title={`${text} (${title})`}
        aria-label={text}
        aria-haspopup="menu"
        aria-current={last ? 'location' : undefined}
        onClick={onClick}
      >
        {text}
      </button>
      {!last && (
        <span className="jp-kb-dim" aria-hidden="true">
          ›
        </span>
      )}
    </>
  );
}

/** In words, with a sign: how the text stands. */
function State({ model, trans }: { model: SectionModel; trans: TranslationBundle }): JSX.Element {
  const words: Record<Status, string> = {
    loading: '',
    failed: '',
    clean: trans.__('Up to date'),
    dirty: trans.__('Unsaved changes'),
    changed: trans.__('Unsaved changes'),
    saving: trans.__('Saving…'),
    saved: trans.__('Saved %1', clock(model.savedAt)),
    updated: trans.__('Updated %1', clock(model.updatedAt)),
    refused: trans.__('Not saved'),
    gone: trans.__('Not saved'),
    unsaved: trans.__('Not saved'),
    readonly: trans.__('This note is read-only.')
  };
  const { status } = model;
  const bad = status === 'refused' || status === 'unsaved' || (status === 'gone' && model.dirty);
  const good = status === 'saved' || status === 'updated';
  const Icon = bad ? failedIcon : checkIcon;
  return (
    <span
      className={`jp-kb-state${bad ? ' jp-kb-mod-error' : good ? ' jp-kb-mod-ok' : ''}`}
      role="status"
      aria-live="polite"
    >
      {(bad || good) && <Icon.react tag="span" className="jp-kb-icon" />}
      {(status === 'dirty' || status === 'changed') && <i className="jp-kb-dot" />}
      {status === 'gone' && !model.dirty ? '' : words[status]}
    </span>
  );
}

function Toolbar({ model, layout, actions, trans }: HeadProps): JSX.Element {
  const { status } = model;
  const canSave = ['dirty', 'changed', 'unsaved'].includes(status);
  const whole = model.headingPath === null;
  const folded = layout.narrow;
  const editable = !whole && status !== 'gone' && status !== 'readonly' && status !== 'loading';
  const views = [
    { value: 'source' as const, label: trans.__('Source') },
    ...(folded ? [] : [{ value: 'split' as const, label: trans.__('Split') }]),
    { value: 'preview' as const, label: trans.__('Preview') }
  ];
  return (
    <div className="jp-kb-editor-toolbar" role="toolbar" aria-label={trans.__('Section')}>
      <Tool
        icon={saveIcon}
        label={trans.__('Save')}
        title={trans.__('Save section (%1)', actions.keys('save'))}
        primary={canSave}
        disabled={!canSave}
        folded={folded}
        onClick={() => void actions.save()}
      />
      {editable && (['insert', 'rename', 'remove'] as const).some(name => actions.has(name)) && (
        <i className="jp-kb-rule" />
      )}
      {editable && actions.has('insert') && (
        <Tool
          icon={addBelowIcon}
          label={trans.__('Insert')}
          menu
          folded={folded}
          onClick={event => void actions.insertMenu(event.currentTarget)}
        />
      )}
      {editable && actions.has('rename') && (
        <Tool
          icon={editIcon}
          label={trans.__('Rename')}
          folded={folded}
          onClick={() => void actions.rename()}
        />
      )}
      {editable && actions.has('remove') && (
        <Tool
          icon={deleteIcon}
          label={trans.__('Delete')}
          folded={folded}
          onClick={() => void actions.remove()}
        />
      )}
      <span className="jp-kb-fill" />
      <Segmented
        label={trans.__('View')}
        choices={views}
        value={layout.shown}
        onChange={view => layout.choose(view)}
      />
    </div>
  );
}

function Tool(props: {
  icon: LabIcon;
  label: string;
  title?: string;
  primary?: boolean;
  disabled?: boolean;
  menu?: boolean;
  folded: boolean;
  onClick: (event: MouseEvent<HTMLElement>) => void;
}): ReactNode {
  const { icon, label, title, primary, disabled, menu, folded, onClick } = props;
  return (
    <button
      type="button"
      className={`jp-kb-tool${primary ? ' jp-kb-mod-primary' : ''}`}
      title={title ?? label}
      aria-label={label}
      aria-haspopup={menu ? 'menu' : undefined}
      disabled={disabled}
      onClick={onClick}
    >
      <icon.react tag="span" className="jp-kb-icon" />
      {!folded && label}
      {menu && <caretDownIcon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />}
    </button>
  );
}
