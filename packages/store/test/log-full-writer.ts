/**
 * A program for the test of a full disk: fills the log in the directory of its first argument until
 * it is refused, goes on when a file beside it went, fills it again and drops its records, opens the log again, and prints what it found as JSON.
 */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { hasCode } from '@fnlet/base';
import { openLmdbLog } from '../src/log.ts';
import { readAll } from './log-reading.ts';

const [directory = ''] = argv.slice(2);
const ballast = join(directory, '..', 'ballast');
await writeFile(ballast, new Uint8Array(20_000_000));
const entry = { payload: new Uint8Array(100_000) };
let accepted = 0;
const first = await openLmdbLog({ directory });
const stream = await first.stream('a');

/** Appends until there is no room. */
async function fill(): Promise<void> {
  for (;;) {
    try {
      await stream.append([entry]);
      accepted++;
    } catch (error) {
      assert.ok(hasCode(error, 'Full'), String(error));
      return;
    }
  }
}

await fill();
await assert.rejects(stream.append([entry]), { code: 'Full' });
await rm(ballast);
await fill();
const kept = (await readAll(stream)).length;
await stream.trim(Number.MAX_SAFE_INTEGER);
const { last } = await stream.append([entry]);
await first.close();
await using second = await openLmdbLog({ directory });
const found = await readAll(await second.stream('a'));
const isLast = found.length === 1 && found[0]?.sequence === last;
stdout.write(JSON.stringify({ accepted, kept, isLast }));
