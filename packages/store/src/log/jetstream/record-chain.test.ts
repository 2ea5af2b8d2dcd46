/** A chain whose server takes its time; the rest of it is tested with real ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { LogError } from '../log-error.ts';
import type { KeptMessage } from './nats-link.ts';
import { type ChainParts, RecordChain } from './record-chain.ts';

const encoder = new TextEncoder();
const entry = { id: 'one', payload: encoder.encode('1') };

/** A subject of a server. Its acknowledgements wait while `isLate`. */
class Subject {
  readonly messages: KeptMessage[] = [];
  readonly late: (() => void)[] = [];
  isLate = false;

  get link(): ChainParts['link'] {
    return {
      messageBytesMax: 1_000_000,
      publish: async (_subject, data, { expectedLast }) => {
        const last = this.messages.at(-1)?.seq ?? 0;
        if (last !== expectedLast) throw new LogError('Conflict', `found ${last}`);
        const seq = last + 1;
        this.messages.push({ seq, data, id: String(seq) });
        if (this.isLate) await new Promise<void>((resolve) => this.late.push(resolve));
        return seq;
      },
      last: async () => this.messages.at(-1),
      next: async (_subject, from) => this.messages.find(({ seq }) => seq >= from),
    };
  }

  acknowledge(): void {
    for (const resolve of this.late.splice(0)) resolve();
  }
}

function open(subject: Subject): { readonly chain: RecordChain; readonly appended: number[] } {
  const appended: number[] = [];
  const chain = new RecordChain({
    link: subject.link,
    clock: new VirtualClock(),
    subject: 'records',
    options: () => ({ dedupeMs: 60_000 }),
    onAppended: ({ seq }) => appended.push(seq),
  });
  return { chain, appended };
}

test('a message of our own that somebody asks for before it is acknowledged is followed once', async () => {
  const subject = new Subject();
  const { chain, appended } = open(subject);
  await chain.append([entry], {});
  subject.isLate = true;
  const second = chain.append([{ ...entry, id: 'two' }], {});
  while (subject.late.length === 0) await new Promise(setImmediate);
  const told = await chain.refresh();
  assert.deepEqual([told.seq, told.total.records], [2, 2]);
  subject.isLate = false;
  subject.acknowledge();
  const { sequences, last } = await second;
  assert.deepEqual([sequences.length, sequences[0]], [1, last]);
  assert.deepEqual(appended, [1, 2]);
  // Its id is known, and the chain goes on.
  assert.deepEqual((await chain.append([{ ...entry, id: 'two' }], {})).sequences, [undefined]);
  await chain.append([{ ...entry, id: 'three' }], {});
  assert.deepEqual(appended, [1, 2, 3]);
  assert.equal((await chain.refresh()).total.records, 3);
});

test('one that others have followed up is known as ours, too', async () => {
  const subject = new Subject();
  const [ours, theirs] = [open(subject), open(subject)];
  subject.isLate = true;
  const first = ours.chain.append([entry], {});
  while (subject.late.length === 0) await new Promise(setImmediate);
  subject.isLate = false;
  await theirs.chain.append([{ ...entry, id: 'two' }], {});
  assert.equal((await ours.chain.refresh()).seq, 2);
  subject.acknowledge();
  await first;
  assert.deepEqual((await ours.chain.append([{ ...entry, id: 'two' }], {})).sequences, [undefined]);
  await ours.chain.append([{ ...entry, id: 'three' }], {});
  assert.deepEqual([ours.appended, theirs.appended], [[1, 3], [2]]);
  assert.equal((await theirs.chain.refresh()).total.records, 3);
});
