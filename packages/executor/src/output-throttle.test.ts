import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@fnlet/base';
import { limits } from './limits.ts';
import { throttleOutput } from './output-throttle.ts';

const chunk = Buffer.alloc(65_536);

/** Output without end, and how much of it was let through. */
class Flood {
  readonly clock = new VirtualClock();
  readonly output = new Readable({ read: () => void this.output.push(chunk) });
  bytes = 0;

  constructor() {
    this.output.on('data', ({ length }: Buffer) => {
      this.bytes += length;
    });
    throttleOutput(this.output, this.clock);
  }

  /** Until the stream is held up. */
  async untilPaused(): Promise<void> {
    while (!this.output.isPaused()) await setImmediate();
  }
}

it('throttleOutput() lets no more through than one window allows', async () => {
  const flood = new Flood();
  await flood.untilPaused();
  assert.ok(flood.bytes < limits.logWindowBytesMax + chunk.length, `${flood.bytes} bytes`);
  await flood.clock.advance(limits.logWindowMs - 1);
  assert.ok(flood.output.isPaused());
  flood.output.destroy();
});

it('throttleOutput() goes on with the next window', async () => {
  const flood = new Flood();
  for (let windows = 1; windows <= 5; windows++) {
    await flood.untilPaused();
    assert.ok(flood.bytes < windows * (limits.logWindowBytesMax + chunk.length));
    await flood.clock.advance(limits.logWindowMs);
  }
  await flood.untilPaused();
  assert.ok(flood.bytes > 5 * limits.logWindowBytesMax, `${flood.bytes} bytes`);
  flood.output.destroy();
});

it('throttleOutput() never holds up output that stays below the rate', async () => {
  const clock = new VirtualClock();
  let pauses = 0;
  const output = new Readable({ read() {} }).on('pause', () => pauses++);
  throttleOutput(output, clock);
  for (let windows = 0; windows < 20; windows++) {
    for (let chunks = 0; chunks < 10; chunks++) output.push(chunk);
    await setImmediate();
    await clock.advance(limits.logWindowMs);
  }
  assert.equal(pauses, 0);
  output.destroy();
});
