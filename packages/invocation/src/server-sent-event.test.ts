import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatServerSentEvent } from './server-sent-event.ts';

const vectors: readonly (readonly [unknown, string])[] = [
  ['hi', 'data: hi\n\n'],
  ['', 'data: \n\n'],
  ['a\nb\r\nc\rd', 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
  [{ a: 1 }, 'data: {"a":1}\n\n'],
  [{}, 'data: {}\n\n'],
  [[1, 2], 'data: [1,2]\n\n'],
  [42, 'data: 42\n\n'],
  [null, 'data: null\n\n'],
  [undefined, 'data: \n\n'],
  [{ data: 'x' }, 'data: x\n\n'],
  [{ data: { n: 1 } }, 'data: {"n":1}\n\n'],
  [{ event: 'tick', id: 7, retry: 100, data: 'x' }, 'event: tick\nid: 7\nretry: 100\ndata: x\n\n'],
  [{ event: 'tick', other: 1 }, 'data: {"event":"tick","other":1}\n\n'],
  [{ event: 'a\ndata: forged', data: 'x' }, 'event: a data: forged\ndata: x\n\n'],
];

for (const [item, text] of vectors) {
  test(`formatServerSentEvent() of ${JSON.stringify(item)}`, () => {
    assert.equal(formatServerSentEvent(item), text);
  });
}
