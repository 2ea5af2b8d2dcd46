import { join } from 'node:path';
import type { Clock, Logger } from '@fnlet/base';
import type { Log } from '@fnlet/store/log';
import type { EventLogHealth } from '../event-log-api.ts';
import { parseEventsLog } from '../events-log.ts';

export interface ClusterLogOptions {
  /** As `parseEventsLog` reads it. */
  readonly eventsLog: string;
  /** Of this replica. */
  readonly dataDirectory: string;
  /** Closes the log; it was opened after everything that uses it ended. */
  readonly stack: AsyncDisposableStack;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The way to the log of events, which is loaded and opened when somebody first needs it.
 *
 * @throws FnletError `InvalidConfig`, at once
 */
export function createClusterLog(options: ClusterLogOptions): () => Promise<Log> {
  const { eventsLog, dataDirectory, stack, clock, logger } = options;
  const place = parseEventsLog(eventsLog);
  const open = async (): Promise<Log> => {
    const { openJetStreamLog, openLmdbLog } = await import('@fnlet/store/log');
    const log =
      place === 'lmdb'
        ? await openLmdbLog({ directory: join(dataDirectory, 'events'), clock })
        : await openJetStreamLog({ ...place, clock, logger });
    return stack.use(log);
  };
  let opened: Promise<Log> | undefined;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

/** Looks at what keeps events now, by a connection of its own. */
export async function inspectClusterLog(eventsLog: string): Promise<EventLogHealth> {
  const place = parseEventsLog(eventsLog);
  if (place === 'lmdb') return { place };
  const { inspectJetStream } = await import('@fnlet/store/log');
  return { place: 'nats', nats: await inspectJetStream(place) };
}
