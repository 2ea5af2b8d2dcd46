/**
 * A program for the crash test: writes to the store in the directory of its first argument until it
 * is killed, and prints a line for each acknowledged write, only after it was acknowledged. A reader
 * that is slow must not end it, as it does a synchronous write (EAGAIN).
 */
import { argv, stdout } from 'node:process';
import { openLmdbStore } from '../src/index.ts';

const [directory = '', round = ''] = argv.slice(2);
const store = await openLmdbStore({ directory, historyMin: 50 });
stdout.write(`open ${store.revision}\n`);

async function write(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const name = `${round}-${writer}-${n}`;
    const padding = 'x'.repeat(n % 3_000);
    // Two keys in one write: after a crash both are there, or neither.
    const [revision] = await store.write([
      { key: `/left/${name}`, value: { name, padding }, expected: 0 },
      { key: `/right/${name}`, value: { name }, expected: 0 },
    ]);
    stdout.write(`${name} ${revision}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
