// The field, and the switch between words and meaning.
import { closeIcon, searchIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import type { KeyboardEvent } from 'react';
import { useRef } from 'react';

import { Commands } from '../../commands';
import { type Mode, MODES } from '../../model/query';
import { Segmented } from '../../ui/controls';
import { amount } from '../../ui/text';
import { useSearch } from './context';

export function Field(): JSX.Element {
  const { kb, model, commands, toField, toList, back } = useSearch();
  const composing = useRef(false);
  const { trans } = kb;
  const usable = kb.state === 'ready' || kb.state === 'starting';
  const notes = kb.status?.notes;
  const placeholder = !usable
    ? trans.__('Search is not available')
    : notes
      ? trans.__('Search %1 notes', amount(notes))
      : trans.__('Search notes');
  const keys = commands.keyBindings.find(binding => binding.command === Commands.search)?.keys;
  const clear = (): void => {
    model.type('');
    toField();
  };
  const keyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) {
      return;
    }
    if (event.altKey && event.code === 'KeyM') {
      const next = MODES[(MODES.indexOf(model.mode) + 1) % MODES.length];
      model.setMode(next ?? 'hybrid');
    } else if (event.key === 'ArrowDown') {
      toList();
    } else if (event.key === 'Enter') {
      model.remember();
      if (!model.now() && !model.pending) {
        toList();
      }
    } else if (event.key === 'Escape') {
      if (model.query) {
        clear();
      } else {
        back();
      }
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="jp-kb-search-field">
      <div className="jp-kb-field" aria-disabled={!usable}>
        <searchIcon.react tag="span" className="jp-kb-icon" />
        <input
          type="search"
          aria-label={trans.__('Search notes')}
          placeholder={placeholder}
          disabled={!usable}
          autoComplete="off"
          spellCheck={false}
          value={model.query}
          onChange={event => model.type(event.target.value, composing.current)}
          onCompositionStart={() => (composing.current = true)}
          onCompositionEnd={event => {
            composing.current = false;
            model.composed(event.currentTarget.value);
          }}
          onKeyDown={keyDown}
        />
        {model.query ? (
          <button
            type="button"
            className="jp-kb-icon-button jp-kb-mod-clear"
            title={trans.__('Clear search (Esc)')}
            aria-label={trans.__('Clear search (Esc)')}
            onClick={clear}
          >
            <closeIcon.react tag="span" className="jp-kb-icon" />
          </button>
        ) : (
          usable &&
          keys && (
            <kbd title={trans.__('Opens search from anywhere')} aria-hidden="true">
              {CommandRegistry.formatKeystroke(keys).replace(/\+/g, ' ')}
            </kbd>
          )
        )}
      </div>
    </div>
  );
}

export function ModeSwitch(): JSX.Element {
  const { kb, model } = useSearch();
  const { trans, status } = kb;
  const off = status !== null && status.model === null; // search by meaning is not configured
  const preparing = !!status?.model && status.model.embedded < status.model.chunks;
  const waiting = trans.__('Still being prepared');
  return (
    <div className="jp-kb-search-modes">
      <Segmented<Mode>
        label={trans.__('How to search')}
        value={off ? 'text' : model.mode}
        onChange={mode => model.setMode(mode)}
        disabled={off}
        choices={[
          { value: 'hybrid', label: trans.__('Both'), title: trans.__('By words and by meaning') },
          { value: 'text', label: trans.__('Text'), title: trans.__('By words') },
          {
            value: 'semantic',
            label: preparing ? (
              <>
                {trans.__('Meaning')}
                <i className="jp-kb-dot" title={waiting} />
              </>
            ) : (
              trans.__('Meaning')
            ),
            name: preparing ? `${trans.__('Meaning')}, ${waiting}` : undefined,
            title: preparing ? waiting : trans.__('By meaning, whatever the words')
          }
        ]}
      />
    </div>
  );
}
