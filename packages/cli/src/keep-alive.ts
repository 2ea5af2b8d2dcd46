import { MessageChannel } from 'node:worker_threads';

/** Keeps this process alive until it is disposed; the clock's timers do not. */
export function keepAlive(): Disposable {
  const { port1, port2 } = new MessageChannel();
  port1.ref();
  return {
    [Symbol.dispose]() {
      port1.close();
      port2.close();
    },
  };
}
