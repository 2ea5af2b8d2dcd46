/**
 * A program for the crash test of the log: appends to the log in the directory of its first
 * argument until it is killed, reads it as a consumer that settles some records and leaves others
 * outstanding, and prints a line for each thing that was acknowledged, only after it was.
 */
import { argv, stdout } from 'node:process';
import { openLmdbLog } from '../src/log.ts';

const [directory = '', round = ''] = argv.slice(2);
const log = await openLmdbLog({ directory });
const stream = await log.stream('a', { dedupeMs: 3_600_000 });
const consumer = await stream.consumer('c');
stdout.write(`open ${(await stream.size()).last}\n`);

async function produce(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const id = `${round}-${writer}-${n}`;
    const payload = Buffer.from(`${id} ${'x'.repeat(n % 3_000)}`);
    // Two entries in one append: after a crash both are there, or neither.
    const { sequences } = await stream.append([{ id, payload }, { payload }]);
    stdout.write(`appended ${sequences.join(' ')} ${id}\n`);
  }
}

async function consume(): Promise<never> {
  for (;;) {
    const records = await stream.read(consumer.cursor + 1, { limit: 10 });
    const cursor = records.at(-1)?.sequence;
    if (cursor === undefined) {
      await new Promise(setImmediate);
      continue;
    }
    const odd = records.filter(({ sequence }) => sequence % 2 === 1);
    const state = Buffer.from('later');
    await consumer.commit({
      cursor,
      outstanding: odd.map(({ sequence }) => ({ sequence, state })),
      settled: [odd[0]?.sequence ?? 0],
    });
    stdout.write(`committed ${cursor} ${odd[0]?.sequence ?? 0}\n`);
  }
}

await Promise.all([consume(), ...Array.from({ length: 8 }, (_, writer) => produce(writer))]);
