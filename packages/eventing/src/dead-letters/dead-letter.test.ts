import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GivenUpEvent } from '../delivery/given-up-event.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { deadLetterEvent, readCause, replayedEvent } from './dead-letter.ts';

const event: CloudEvent = {
  attributes: { specversion: '1.0', id: '7', source: '/shop', type: 'order', subject: 'x' },
  data: Buffer.from('{}'),
};
const origin = { trigger: 'default/orders', destination: 'hello' };

function givenUp(answer: string | Uint8Array): GivenUpEvent {
  return {
    event,
    sequence: 12,
    reason: 'Exhausted',
    status: 503,
    answer: Buffer.from(answer),
    attempts: 11,
    firstMs: Date.UTC(2026, 0, 1),
    lastMs: Date.UTC(2026, 0, 2),
  };
}

test('a dead letter is the event with the attributes of Knative and ours', () => {
  const letter = deadLetterEvent(givenUp('out of order'), origin);
  assert.deepEqual(letter, {
    attributes: {
      ...event.attributes,
      knativeerrordest: 'hello',
      knativeerrorcode: 503,
      knativeerrordata: 'out of order',
      fnlettrigger: 'default/orders',
      fnletreason: 'Exhausted',
      fnletattempts: 11,
      fnletfirsttime: '2026-01-01T00:00:00.000Z',
      fnletlasttime: '2026-01-02T00:00:00.000Z',
      fnletsequence: 12,
    },
    data: event.data,
  });
  assert.deepEqual(readCause(letter), {
    ...origin,
    reason: 'Exhausted',
    code: 503,
    answer: 'out of order',
    attempts: 11,
    firstTime: '2026-01-01T00:00:00.000Z',
    lastTime: '2026-01-02T00:00:00.000Z',
    sequence: 12,
  });
});

test('of an answer 1 024 bytes are kept, with no half character and no line ends', () => {
  const excerpt = (answer: string | Uint8Array): string =>
    readCause(deadLetterEvent(givenUp(answer), origin)).answer;
  assert.equal(excerpt('a'.repeat(5_000)).length, 1_024);
  assert.equal(excerpt(`a${'ü'.repeat(600)}`), `a${'ü'.repeat(511)}`);
  assert.equal(excerpt('one\r\n\ttwo\0\n'), 'one two');
  assert.equal(excerpt(new Uint8Array()), '');
});

test('a replayed event is as it was, marked with how often it was replayed', () => {
  const once = replayedEvent(deadLetterEvent(givenUp('no'), origin));
  assert.deepEqual(once.attributes, { ...event.attributes, fnletreplay: 1 });
  assert.equal(once.data, event.data);
  const twice = replayedEvent(deadLetterEvent({ ...givenUp('no'), event: once }, origin));
  assert.equal(twice.attributes.fnletreplay, 2);
});
