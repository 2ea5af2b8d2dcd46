import { setTimeout as sleep } from 'node:timers/promises';

/** Server-sent events: each value that is yielded is one event. */
export default async function* handler(request, { signal }) {
  for (let count = 1; count <= 3 && !signal.aborted; count++) {
    yield { count };
    await sleep(10);
  }
}
