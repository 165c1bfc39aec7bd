// Shows the card above the item of the status bar, and gives the focus back when it is closed.
import { showPopup } from '@jupyterlab/statusbar';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { type CardContext, StatusCard } from './card';
import type { StatusItem } from './item';

/** Open the card; gives the function that closes it. */
export async function showCard(
  item: StatusItem,
  context: Omit<CardContext, 'close'>,
  closed: () => void
): Promise<() => void> {
  const close = (): void => popup.dispose();
  const body = new StatusCard({ ...context, close });
  MessageLoop.sendMessage(body, Widget.Msg.UpdateRequest);
  await body.renderPromise; // its size decides where it stands
  const popup = showPopup({ body, anchor: item, align: 'left', hasDynamicSize: true });
  item.expanded = true;
  const opener = item.node.querySelector('button');
  body.disposed.connect(() => {
    item.expanded = false;
    closed();
    if (document.activeElement === null || document.activeElement === document.body) {
      opener?.focus();
    }
  });
  (body.node.querySelector<HTMLElement>('button') ?? body.node).focus();
  return close;
}
