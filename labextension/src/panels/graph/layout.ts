// Computes where notes stand: in a worker, or here where the browser allows none.
import { laidOut, LONGEST, type Order } from '../../model/graphLayout';
import type { Layout } from '../../model/graphPlaces';

/** Milliseconds that a worker has beyond the time of the layout itself. */
const PATIENCE = 4000;

export const layout: Layout = order => {
  const beginning = order.places.slice(); // what is sent to the worker is the worker's
  return inWorker({ ...order, places: order.places.slice() }).catch(() =>
    laidOut({ ...order, places: beginning })
  );
};

function inWorker(order: Order): Promise<Float32Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./layout.worker.js', import.meta.url));
    const timer = setTimeout(
      () => end(() => reject(new Error('the worker gave no answer'))),
      LONGEST + PATIENCE
    );
    const end = (then: () => void): void => {
      clearTimeout(timer);
      worker.terminate();
      then();
    };
    worker.onmessage = (event: MessageEvent<Float32Array>) => end(() => resolve(event.data));
    worker.onerror = event => end(() => reject(new Error(event.message)));
    worker.postMessage(order);
  });
}
