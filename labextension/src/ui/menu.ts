// A menu that opens under a button or at a place, and gives the focus back to what opened it.
import { CommandRegistry } from '@lumino/commands';
import type { LabIcon } from '@jupyterlab/ui-components';
import { Menu } from '@lumino/widgets';

export type MenuEntry =
  | {
      label: string;
      run: () => void;
      icon?: LabIcon;
      checked?: boolean;
      disabled?: boolean;
      hint?: string;
      /** Keys that do the same elsewhere, shown at the right. */
      keys?: string;
    }
  | 'separator';

/** Show a menu below an element, or at a point of the window. Resolves when it is closed. */
export function openMenu(
  entries: readonly MenuEntry[],
  at: Element | { x: number; y: number }
): Promise<void> {
  const commands = new CommandRegistry();
  const menu = new Menu({ commands });
  menu.addClass('jp-kb-menu');
  entries.forEach((entry, index) => {
    if (entry === 'separator') {
      menu.addItem({ type: 'separator' });
      return;
    }
    const id = String(index);
    commands.addCommand(id, {
      label: entry.label,
      caption: entry.hint ?? '',
      isToggled: () => entry.checked ?? false,
      isToggleable: entry.checked !== undefined,
      isEnabled: () => !entry.disabled,
      execute: entry.run,
      ...(entry.icon ? { icon: entry.icon.bindprops({ stylesheet: 'menuItem' }) } : {})
    });
    if (entry.keys) {
      commands.addKeyBinding({ command: id, keys: [entry.keys], selector: 'body' }); // nobody feeds it with keys
    }
    menu.addItem({ command: id });
  });
  const opener = document.activeElement;
  const place = at instanceof Element ? below(at) : at;
  return new Promise(resolve => {
    menu.aboutToClose.connect(() => {
      if (opener instanceof HTMLElement && opener.isConnected) {
        opener.focus();
      }
      // the chosen command runs after this signal
      queueMicrotask(resolve);
      setTimeout(() => menu.dispose(), 0);
    });
    menu.open(place.x, place.y);
    menu.activeIndex = 0;
  });
}

function below(element: Element): { x: number; y: number } {
  const box = element.getBoundingClientRect();
  return { x: box.left, y: box.bottom };
}
