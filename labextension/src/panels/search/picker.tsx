// What can be filtered by: a field and a list of the vault's folders, tags, dates and properties.
import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

import { filterText, keyOf, type Offer, offers } from '../../model/filters';
import { Count, Segmented } from '../../ui/controls';
import { amount } from '../../ui/text';
import { useSearch } from './context';
import { FILTER_ICONS } from './filters';

/** Rows that are listed at most: who looks for others types. */
const MOST = 50;

export function FilterPicker({ onClose }: { onClose: () => void }): JSX.Element {
  const { kb, model } = useSearch();
  const { trans } = kb;
  const [text, setText] = useState('');
  const [not, setNot] = useState(false);
  const [at, setAt] = useState(0);
  const list = useId();
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const wanted = text.trim().replace(/^#/, '').toLocaleLowerCase();
  const all = model.facets ? offers(model.facets, not, model.filters) : [];
  const matching = all.filter(({ filter }) => filterText(filter, trans).toLocaleLowerCase().includes(wanted));
  const shown = mixed(matching, wanted === '').slice(0, MOST);
  const current = Math.min(at, shown.length - 1);

  const pick = (offer: Offer | undefined): void => {
    if (offer) {
      model.addFilter(offer.filter);
      onClose();
    }
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) {
      return; // these keys choose a word of the input method
    }
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const next = current + (event.key === 'ArrowDown' ? 1 : -1);
        setAt((next + shown.length) % Math.max(shown.length, 1));
        break;
      }
      case 'Enter':
        pick(shown[current]);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  useEffect(() => {
    root.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const leave = (event: FocusEvent): void => {
    if (event.relatedTarget instanceof Node && !root.current?.contains(event.relatedTarget)) {
      onClose();
    }
  };
  const kinds = {
    folder: trans.__('Folders'),
    tag: trans.__('Tags'),
    date: trans.__('Changed'),
    property: trans.__('Properties')
  };
  return (
    <div
      className="jp-kb-search-picker jp-kb-floating"
      role="dialog"
      aria-label={trans.__('Add a filter')}
      ref={root}
      onBlur={leave}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }
      }}
    >
      <Segmented<'only' | 'not'>
        label={trans.__('What the filter does')}
        value={not ? 'not' : 'only'}
        onChange={value => {
          setNot(value === 'not');
          setAt(0);
        }}
        choices={[
          { value: 'only', label: trans.__('Only') },
          { value: 'not', label: trans.__('Leave out') }
        ]}
      />
      <div className="jp-kb-field">
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={shown.length ? `${list}-${current}` : undefined}
          aria-label={trans.__('Find a filter')}
          placeholder={not ? trans.__('Folder or tag') : trans.__('Folder, tag, date or property')}
          value={text}
          onChange={event => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={keyDown}
        />
      </div>
      <div className="jp-kb-search-offers" role="listbox" id={list} aria-label={trans.__('Filters')}>
        {shown.map((offer, index) => {
          const { filter, count } = offer;
          const Icon = FILTER_ICONS[filter.kind].react;
          const first = shown[index - 1]?.filter.kind !== filter.kind;
          const label =
            filter.kind === 'folder' ? filter.folder : filterText(filter, trans).replace(/^not /, '');
          return (
            <div key={keyOf(filter) + index} role="presentation">
              {first && (
                <div className="jp-kb-search-heading" role="presentation">
                  {kinds[filter.kind]}
                </div>
              )}
              <div
                role="option"
                id={`${list}-${index}`}
                aria-selected={index === current}
                className="jp-kb-search-line"
                title={label}
                onMouseDown={event => event.preventDefault()}
                onClick={() => pick(offer)}
              >
                <Icon tag="span" className="jp-kb-icon" />
                <span className="jp-kb-cut jp-kb-fill">{label}</span>
                {count !== null && <Count>{amount(count)}</Count>}
              </div>
            </div>
          );
        })}
        {!shown.length && (
          <div className="jp-kb-search-nothing">
            {model.facets ? trans.__('Nothing of that name.') : trans.__('Looking…')}
          </div>
        )}
      </div>
    </div>
  );
}

/** The first of each kind while nothing is typed, so that each can be seen. */
function mixed(all: readonly Offer[], short: boolean): Offer[] {
  const order = ['folder', 'tag', 'date', 'property'] as const;
  return order.flatMap(kind => {
    const some = all.filter(({ filter }) => filter.kind === kind);
    return short ? some.slice(0, kind === 'property' ? 12 : 6) : some;
  });
}
