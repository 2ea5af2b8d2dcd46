import { setTimeout } from 'node:timers/promises';
import type { VirtualClock } from '@fnlet/base';
import type { Log, LogRecord, LogStream } from '../src/log.ts';

/** Opens an empty log whose times and ages are told by the clock. */
export type OpenLog = (clock: VirtualClock) => Promise<Log>;

export function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

export function texts(records: readonly LogRecord[]): string[] {
  return records.map(({ payload }) => Buffer.from(payload).toString());
}

/** Every record of the stream, read page by page. */
export async function readAll(stream: LogStream, limit = 1_000): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let from = 0; ; ) {
    const page = await stream.read(from, { limit });
    records.push(...page);
    const last = page.at(-1);
    if (last === undefined) return records;
    from = last.sequence + 1;
  }
}

/** The texts of all records. */
export async function payloads(stream: LogStream, options?: { limit: number }): Promise<string[]> {
  return texts(await readAll(stream, options?.limit));
}

/** Waits until the condition holds. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; asked < 4_000; asked++) {
    if (await condition()) return;
    await setTimeout(2);
  }
  throw new Error('Waited in vain for the log');
}

/** Waits until the condition holds while time passes, two seconds at each look. */
export function passing(
  clock: VirtualClock,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  return eventually(async () => {
    await clock.advance(2_000);
    return condition();
  });
}
