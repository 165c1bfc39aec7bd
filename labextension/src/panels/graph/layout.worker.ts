// Lays a graph out on a thread of its own.
import { laidOut, type Order } from '../../model/graphLayout';

onmessage = (event: MessageEvent<Order>): void => {
  const places = laidOut(event.data);
  (postMessage as (message: unknown, transfer: Transferable[]) => void)(places, [places.buffer]);
};
