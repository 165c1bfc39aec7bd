// A dialog in which a section is chosen: of one note, or of any note that is looked for by name.
import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import { type ISignal, Signal } from '@lumino/signaling';
import { type KeyboardEvent, useEffect, useId, useRef } from 'react';

import { suggest } from '../model/completion';
import { flat } from '../model/places';
import type { LinkResolver } from '../model/resolver';
import type { IKnowledgeBase, Place } from '../tokens';
import { useSignals } from '../ui/hooks';
import { languageOf } from '../ui/text';

interface Row {
  key: string;
  text: string;
  detail: string;
  /** Levels below the first. */
  indent: number;
  place: Place;
}

const DELAY = 120;

class Choice {
  constructor(
    private readonly _kb: IKnowledgeBase,
    private readonly _resolver: LinkResolver,
    private readonly _file: string | null
  ) {
    void this._read('');
  }

  query = '';
  rows: readonly Row[] = [];
  selected = 0;

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get chosen(): Place | null {
    return this.rows[this.selected]?.place ?? null;
  }

  type(query: string): void {
    this.query = query;
    this._changed.emit();
    clearTimeout(this._timer);
    this._timer = setTimeout(() => void this._read(query), DELAY);
  }

  select(index: number): void {
    this.selected = Math.max(0, Math.min(index, this.rows.length - 1));
    this._changed.emit();
  }

  private async _read(query: string): Promise<void> {
    let rows: Row[];
    try {
      rows = this._file === null ? await this._anywhere(query) : await this._inNote(this._file, query);
    } catch {
      return; // what was found before stays
    }
    if (query === this.query) {
      this.rows = rows;
      this.selected = 0;
      this._changed.emit();
    }
  }

  private async _inNote(file: string, query: string): Promise<Row[]> {
    const outline = await this._kb.client.outline(file);
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const whole: Row = {
      key: '',
      text: outline.title,
      detail: this._kb.trans.__('whole note'),
      indent: 0,
      place: { file, headingPath: null }
    };
    const sections = flat(outline.sections).filter(section => section.level > 0);
    const least = Math.min(...sections.map(section => section.level));
    return [
      whole,
      ...sections.map(section => ({
        key: section.heading_path,
        text: section.heading,
        detail: '',
        indent: section.level - least,
        place: { file, headingPath: section.heading_path }
      }))
    ].filter(row => words.every(word => row.text.toLowerCase().includes(word)));
  }

  private async _anywhere(query: string): Promise<Row[]> {
    const [note = '', heading = null] = query.split('#');
    const link = { from: 0, to: query.length, closed: false, note: note.trim(), heading };
    const { client } = this._kb;
    const found = await suggest(client, this._resolver, link, null, new AbortController().signal);
    return found
      .filter(one => one.kind !== 'create')
      .map(one => ({
        key: `${one.file}#${one.headingPath ?? ''}`,
        text: one.text,
        detail: one.detail,
        indent: 0,
        place: { file: one.file, headingPath: one.headingPath }
      }));
  }

  private _timer: ReturnType<typeof setTimeout> | undefined;
  private readonly _changed = new Signal<this, void>(this);
}

class Body extends ReactWidget {
  constructor(
    private readonly _choice: Choice,
    private readonly _kb: IKnowledgeBase,
    private readonly _accept: () => void
  ) {
    super();
    this.addClass('jp-kb');
    this.addClass('jp-kb-picker');
  }

  protected override render(): JSX.Element {
    return <Picker choice={this._choice} kb={this._kb} accept={this._accept} />;
  }
}

function Picker(props: { choice: Choice; kb: IKnowledgeBase; accept: () => void }): JSX.Element {
  const { choice, kb, accept } = props;
  useSignals(choice.changed);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });
  const press = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const by = steps[event.key];
    if (by !== undefined && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choice.select(choice.selected + by);
    }
  };
  return (
    <>
      <div className="jp-kb-field">
        <input
          className="jp-kb-picker-field"
          role="combobox"
          aria-label={kb.trans.__('Section')}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={choice.rows.length ? `${id}-${choice.selected}` : undefined}
          aria-autocomplete="list"
          placeholder={kb.trans.__('Type a name; # for headings')}
          value={choice.query}
          spellCheck={false}
          autoComplete="off"
          onChange={event => choice.type(event.target.value)}
          onKeyDown={press}
        />
      </div>
      <div
        className="jp-kb-picker-list"
        role="listbox"
        id={`${id}-list`}
        ref={list}
        aria-label={kb.trans.__('Sections')}
      >
        {choice.rows.map((row, index) => (
          <div
            key={row.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === choice.selected}
            style={{ paddingLeft: `calc(var(--kb-gutter) + ${row.indent * 16}px)` }}
            onClick={() => choice.select(index)}
            onDoubleClick={accept}
          >
            <span className="jp-kb-cut" title={row.text} lang={languageOf(row.text)}>
              {row.text}
            </span>
            <span className="jp-kb-tiny jp-kb-dim jp-kb-cut">{row.detail}</span>
          </div>
        ))}
      </div>
    </>
  );
}

/** Let a section be chosen, of one note or (`file` null) of any. Null where none was. */
export async function pickSection(
  kb: IKnowledgeBase,
  resolver: LinkResolver,
  options: { title: string; accept: string; file: string | null }
): Promise<Place | null> {
  const choice = new Choice(kb, resolver, options.file);
  let dialog: Dialog<void> | null = null;
  const body = new Body(choice, kb, () => dialog?.resolve(1));
  dialog = new Dialog<void>({
    title: options.title,
    body,
    buttons: [
      Dialog.cancelButton({ label: kb.trans.__('Cancel') }),
      Dialog.okButton({ label: options.accept })
    ],
    defaultButton: 1,
    focusNodeSelector: '.jp-kb-picker-field'
  });
  dialog.addClass('jp-kb-dialog');
  const { button } = await dialog.launch();
  return button.accept ? choice.chosen : null;
}
