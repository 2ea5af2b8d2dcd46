import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentLine, EventReader } from '../request/event-batches.ts';
import { EventSender } from './event-sender.ts';

class SlowOutlet {
  readonly written: string[] = [];
  isFull = false;
  isEnded = false;
  isDestroyed = false;
  #drained: (() => void) | undefined;

  write(bytes: Uint8Array): boolean {
    this.written.push(Buffer.from(bytes).toString());
    return !this.isFull;
  }

  once(_event: 'drain', listener: () => void): void {
    this.#drained = listener;
  }

  drain(): void {
    this.isFull = false;
    this.#drained?.();
  }

  end(): void {
    this.isEnded = true;
  }

  destroy(): void {
    this.isDestroyed = true;
  }
}

function line(text: string): DocumentLine {
  return { value: text, line: Buffer.from(`${text}\n`) };
}

function openSender() {
  const outlet = new SlowOutlet();
  const sender = new EventSender(outlet);
  const calls: string[] = [];
  let reader: EventReader | undefined;
  sender.send((given) => {
    reader = given;
    return { resume: () => calls.push('resume'), close: () => calls.push('close') };
  });
  assert.ok(reader !== undefined);
  return { outlet, reader, calls };
}

describe('EventSender', () => {
  it('writes all that comes at once in one piece', () => {
    const { outlet, reader } = openSender();
    assert.equal(reader.take([line('a'), line('b')]), true);
    assert.equal(reader.take([line('c')]), true);
    reader.end();
    assert.deepEqual(outlet.written, ['a\nb\n', 'c\n']);
    assert.equal(outlet.isEnded, true);
  });

  it('asks for more when a slow client has caught up, and not before', () => {
    const { outlet, reader, calls } = openSender();
    outlet.isFull = true;
    assert.equal(reader.take([line('a')]), false);
    assert.deepEqual(calls, []);
    outlet.drain();
    assert.deepEqual(calls, ['resume']);
  });

  it('cuts the connection on an event that cannot be written down', () => {
    const { outlet, reader } = openSender();
    const broken = {
      value: 1,
      get line(): Uint8Array {
        throw new Error('no text');
      },
    };
    assert.equal(reader.take([broken]), false);
    assert.equal(outlet.isDestroyed, true);
  });
});
