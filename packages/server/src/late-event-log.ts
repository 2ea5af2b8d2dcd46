import { join } from 'node:path';
import type { Log } from '@fnlet/store/log';
import { parseEventsLog } from './events-log.ts';
import type { House } from './house.ts';

/**
 * The way to the log of events, which is loaded and opened when somebody first needs it, and closed
 * after everything that was started later than this.
 *
 * @throws FnletError `InvalidConfig`, at once
 */
export function createLateEventLog(house: House): () => Promise<Log> {
  const { options, data } = house;
  const { clock, config, logger } = options;
  const place = parseEventsLog(config.eventsLog);
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  let opened: Promise<Log> | undefined;
  const open = async (): Promise<Log> => {
    const { openJetStreamLog, openLmdbLog } = await import('@fnlet/store/log');
    if (stack.disposed) throw new Error('Fnlet ends just now');
    const log =
      place === 'lmdb'
        ? await openLmdbLog({ directory: join(data.root, 'events'), clock })
        : await openJetStreamLog({ ...place, clock, logger });
    return stack.use(log);
  };
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}
