import { mkdir } from 'node:fs/promises';
import { type Clock, errorMessage, systemClock } from '@fnlet/base';
import { type DirectoryLock, lockDirectory } from '../directory-lock.ts';
import { checkFormat, syncDirectory } from '../format-marker.ts';
import { StoreError } from '../store-error.ts';
import { JournaledTables } from './journaled-tables.ts';
import { LmdbTables } from './lmdb-tables.ts';
import type { Log } from './log.ts';
import { LogError } from './log-error.ts';
import { takeSpareRoom } from './spare-room.ts';
import { TableLog } from './table-log.ts';

export interface LmdbLogOptions {
  /** The log's own directory; created when missing, with mode 0700. */
  readonly directory: string;
  /** What times and ages are told by. Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * A durable log on this machine: what has resolved survives `kill -9` and power loss.
 *
 * One process owns the directory until it closes the log or dies; a lock left by a dead process is
 * taken over.
 *
 * @example
 * await using log = await openLmdbLog({ directory: '.fnlet/events' });
 * const stream = await log.stream('trigger/1');
 * await stream.append([{ payload: Buffer.from('{}') }]);
 *
 * @throws LogError `Locked`, `Broken` (a directory that is not a log, cannot be read or written),
 * `Full`
 */
export async function openLmdbLog(options: LmdbLogOptions): Promise<Log> {
  const { directory, clock = systemClock } = options;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const lock = await lockDirectory(directory);
    return await openLocked(directory, clock, lock);
  } catch (error) {
    throw toLogError(error, directory);
  }
}

// Before 2 there was no journal, which older code would not see.
const formats = { written: 2, alsoRead: [1] };

async function openLocked(directory: string, clock: Clock, lock: DirectoryLock): Promise<Log> {
  try {
    await checkFormat(directory, formats);
    await takeSpareRoom(directory);
    const tables = new JournaledTables(new LmdbTables(directory));
    await syncDirectory(directory);
    return new TableLog(tables, { clock, onClosed: lock.release });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function toLogError(error: unknown, directory: string): LogError {
  if (error instanceof LogError) return error;
  const found = errorMessage(error);
  const message = `Cannot open log "${directory}": ${found}, expected a directory of its own`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof StoreError) {
    const { remedy = 'Choose another directory' } = error;
    return new LogError(code === 'Locked' ? 'Locked' : 'Broken', message, { cause: error, remedy });
  }
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new LogError(isFull ? 'Full' : 'Broken', message, {
    cause: error,
    remedy: isFull
      ? 'Make room on the disk that holds it'
      : 'Check that the directory can be written and its disk works',
  });
}
