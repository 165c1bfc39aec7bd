// The filters of the search as chips; one button in a narrow panel.
import { addIcon, filterListIcon, folderIcon, historyIcon, listIcon } from '@jupyterlab/ui-components';
import type { LabIcon } from '@jupyterlab/ui-components';
import { type KeyboardEvent, useRef, useState } from 'react';

import { type Filter, filterText, keyOf } from '../../model/filters';
import { Caret, Count, RemovableChip } from '../../ui/controls';
import { useSearch } from './context';
import { tagIcon } from '../../ui/icons';
import { FilterPicker } from './picker';

export const FILTER_ICONS: Record<Filter['kind'], LabIcon> = {
  folder: folderIcon,
  tag: tagIcon,
  property: listIcon,
  date: historyIcon
};

export function FilterChips(): JSX.Element | null {
  const { kb, model, narrow } = useSearch();
  const { trans } = kb;
  const [picking, setPicking] = useState(false);
  const [open, setOpen] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  if (!model.query && !model.filters.length) {
    return null;
  }
  const buttons = (): HTMLElement[] =>
    Array.from(row.current?.querySelectorAll<HTMLElement>('.jp-kb-chip') ?? []);
  const focus = (index: number): void => {
    const chips = buttons();
    chips[Math.min(Math.max(index, 0), chips.length - 1)]?.focus();
  };
  const keyDown = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = buttons().indexOf(event.target as HTMLElement);
    if (by && at >= 0) {
      event.preventDefault();
      event.stopPropagation();
      focus(at + by);
    }
  };
  const remove = (filter: Filter, index: number): void => {
    model.removeFilter(filter);
    requestAnimationFrame(() => focus(index)); // the chip that took its place
  };
  const close = (): void => {
    setPicking(false);
    row.current?.querySelector<HTMLElement>('.jp-kb-mod-add')?.focus();
  };
  const shown = !narrow || open;
  const count = model.filters.length;
  return (
    <div className="jp-kb-search-filters">
      {narrow && (
        <button
          type="button"
          className="jp-kb-button jp-kb-search-fold"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <filterListIcon.react tag="span" className="jp-kb-icon" />
          <span className="jp-kb-fill">{trans.__('Filters')}</span>
          {count > 0 && <Count>{trans.__('%1 on', count)}</Count>}
          <Caret open />
        </button>
      )}
      {shown && (
        <div
          className="jp-kb-search-chips"
          role="group"
          aria-label={trans.__('Filters')}
          ref={row}
          onKeyDown={keyDown}
        >
          {model.filters.map((filter, index) => (
            <RemovableChip
              key={keyOf(filter)}
              text={filterText(filter, trans)}
              icon={FILTER_ICONS[filter.kind]}
              name={trans.__('Remove filter %1', filterText(filter, trans))}
              onRemove={() => remove(filter, index)}
            />
          ))}
          <button
            type="button"
            className="jp-kb-chip jp-kb-mod-add"
            aria-haspopup="dialog"
            aria-expanded={picking}
            onClick={() => setPicking(!picking)}
          >
            <addIcon.react tag="span" className="jp-kb-icon jp-kb-mod-small" />
            {trans.__('Filter')}
          </button>
        </div>
      )}
      {shown && picking && <FilterPicker onClose={close} />}
    </div>
  );
}
