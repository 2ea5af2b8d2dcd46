import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasCode, VirtualClock } from '@fnlet/base';
import fc from 'fast-check';
import type { LogEntry, LogStream } from '../src/log.ts';
import { type OpenLog, readAll } from './log-reading.ts';

interface ModelRecord {
  readonly sequence: number;
  readonly text: string;
}

/** A stream as the plainest code has it. */
class ModelStream {
  last = 0;
  records: ModelRecord[] = [];
  readonly #ids = new Set<string>();

  /** What is new of these entries, which the real stream has given these places. */
  append(entries: readonly LogEntry[], sequences: readonly (number | undefined)[]): void {
    for (const [i, { id, key, payload }] of entries.entries()) {
      const sequence = sequences[i];
      assert.equal(sequence === undefined, id !== undefined && this.#ids.has(id), 'ids are known');
      if (sequence === undefined) continue;
      if (id !== undefined) this.#ids.add(id);
      assert.ok(sequence > this.last, 'sequences grow');
      this.last = sequence;
      this.records.push({ sequence, text: `${key}:${Buffer.from(payload)}` });
    }
  }

  /** The sequences of the records at these places, counted round; some that are gone. */
  pick(places: readonly number[]): number[] {
    return places.map(
      (place) => this.records[place % (this.records.length + 1)]?.sequence ?? place,
    );
  }
}

type Step = (stream: LogStream, model: ModelStream) => Promise<void>;

const entry = fc.record(
  {
    payload: fc.string({ maxLength: 8 }).map((text) => Buffer.from(text)),
    key: fc.constantFrom('a', 'b'),
    id: fc.integer({ min: 0, max: 12 }).map(String),
  },
  { requiredKeys: ['payload'] },
);
const entries = fc.array(entry, { maxLength: 5 });
const places = fc.array(fc.nat(40), { maxLength: 5 });

const steps: fc.Arbitrary<Step> = fc.oneof(
  entries.map(
    (given): Step =>
      async (stream, model) => {
        const { sequences, last } = await stream.append(given);
        model.append(given, sequences);
        assert.equal(last, model.last);
      },
  ),
  fc.tuple(entries, entries).map(
    ([one, other]): Step =>
      async (stream, model) => {
        const [first, second] = await Promise.all([stream.append(one), stream.append(other)]);
        model.append(one, first.sequences);
        model.append(other, second.sequences);
      },
  ),
  fc.tuple(entries, fc.boolean()).map(
    ([given, isRight]): Step =>
      async (stream, model) => {
        const expectedLast = isRight ? model.last : model.last + 1;
        const appended = await stream
          .append(given, { expectedLast })
          .catch((error: unknown) => error);
        if (!isRight) return assert.ok(hasCode(appended, 'Conflict'));
        assert.ok(!(appended instanceof Error), String(appended));
        model.append(given, Object(appended).sequences);
      },
  ),
  places.map(
    (given): Step =>
      async (stream, model) => {
        const sequences = model.pick(given);
        model.records = model.records.filter(({ sequence }) => !sequences.includes(sequence));
        await stream.remove(sequences);
      },
  ),
  fc.nat(40).map(
    (place): Step =>
      async (stream, model) => {
        const [before = 0] = model.pick([place]);
        model.records = model.records.filter(({ sequence }) => sequence >= before);
        await stream.trim(before);
      },
  ),
);

async function assertSame(stream: LogStream, model: ModelStream): Promise<void> {
  const found = await readAll(stream, 3);
  assert.deepEqual(
    found.map(({ sequence, key, payload }) => ({ sequence, text: `${key}:${payload}` })),
    model.records,
  );
  const { oldestMs: _, ...size } = await stream.size();
  assert.deepEqual(size, {
    records: found.length,
    bytes: found.reduce((sum, { payload }) => sum + payload.length, 0),
    first: found[0]?.sequence ?? model.last + 1,
    last: model.last,
  });
}

/** Random lives of a stream, compared with the plainest code after each step. */
export function testLogProperty(name: string, open: OpenLog, runs: number): void {
  it(`${name} is what the plainest log would be`, async () => {
    await using log = await open(new VirtualClock());
    let streams = 0;
    const property = fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (life) => {
      const streamName = `s${streams++}`;
      const stream = await log.stream(streamName, { dedupeMs: 60_000 });
      const model = new ModelStream();
      for (const step of life) {
        await step(stream, model);
        await assertSame(stream, model);
      }
      await log.removeStream(streamName);
    });
    await fc.assert(property, { numRuns: runs });
  });
}
