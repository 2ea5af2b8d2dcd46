import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Log, LogStream } from '@fnlet/store/log';
import type { Checkpoint } from '../sources/source.ts';

/** The stream that holds what the source of a Trigger has to remember. */
export function checkpointStream(uid: string): string {
  return `checkpoint/${uid}`;
}

/** The stream that the source of a Trigger has for itself. */
export function sourceStream(uid: string): string {
  return `source/${uid}`;
}

/** A checkpoint: the only record of a stream of its own, opened when it is first used. */
export function createLogCheckpoint(log: Log, uid: string): Checkpoint {
  let opened: Promise<LogStream> | undefined;
  const open = (): Promise<LogStream> => {
    opened ??= log.stream(checkpointStream(uid), { maxRecords: 1 }).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    async load() {
      const [record] = await (await open()).read(0, { limit: 1 });
      return record === undefined ? undefined : readValue(record.payload);
    },
    async save(value) {
      await (await open()).append([{ payload: Buffer.from(JSON.stringify(value)) }]);
    },
  };
}

function readValue(payload: Uint8Array): JsonObject | undefined {
  const value: unknown = JSON.parse(Buffer.from(payload).toString());
  return isJsonObject(value) ? value : undefined;
}
