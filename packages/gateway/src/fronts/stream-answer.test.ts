import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AnswerEvent, StreamAnswer } from './stream-answer.ts';

/** What is told of an answer, its content joined, when it is written in pieces cut there. */
function tell(text: string, { method = 'GET', cuts = [] as readonly number[] } = {}): unknown[] {
  const answer = new StreamAnswer(method, 1024);
  const borders = [...new Set([...cuts, text.length])].sort((a, b) => a - b);
  const told: unknown[] = [];
  let content = '';
  let from = 0;
  for (const to of borders) {
    for (const event of answer.read(text.slice(from, to))) {
      if (event.kind === 'content') content += event.bytes.toString('latin1');
      else told.push(summarise(event));
    }
    from = to;
  }
  return [...told, content, answer.done];
}

function summarise(event: Exclude<AnswerEvent, { kind: 'content' }>): unknown {
  return event.kind === 'end'
    ? ['end', ...event.trailers]
    : [event.kind, event.status, ...event.fields];
}

const chunked =
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n' +
  'HTTP/1.1 200 OK\r\nX-A:  1 \r\nX-A: 2\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '5\r\nhello\r\n3\r\n\xe9\r\n\r\n0\r\nX-Sum: 9\r\n\r\n';

test('an answer is told in parts, however it is cut', () => {
  const whole = [
    ['interim', 103, 'link', '</a>'],
    ['head', 200, 'x-a', '1', 'x-a', '2'],
    ['end', 'x-sum', '9'],
    'hello\xe9\r\n',
    true,
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(chunked.length)), (cuts) => {
      assert.deepEqual(tell(chunked, { cuts }), whole);
    }),
    { numRuns: 200 },
  );
});

test('an answer of known length ends with it; one without a body at once', () => {
  const sized = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n';
  assert.deepEqual(tell(`${sized}abc`), [
    ['head', 200, 'content-length', '3'],
    ['end'],
    'abc',
    true,
  ]);
  assert.deepEqual(tell(`${sized}ab`).at(-1), false);
  assert.deepEqual(tell(sized, { method: 'HEAD' }), [
    ['head', 200, 'content-length', '3'],
    ['end'],
    '',
    true,
  ]);
  for (const status of ['204 No Content', '304 Not Modified']) {
    assert.deepEqual(tell(`HTTP/1.1 ${status}\r\n\r\n`).slice(1), [['end'], '', true]);
  }
});

test('a change of protocol is an answer of success, and all that follows is its content', () => {
  const text =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Accept: x\r\nSec-WebSocket-Protocol: chat\r\n\r\n\x81\x00HTTP/1.1 200 OK\r\n\r\n';
  assert.deepEqual(tell(text), [
    ['head', 200, 'sec-websocket-protocol', 'chat'],
    '\x81\x00HTTP/1.1 200 OK\r\n\r\n',
    false,
  ]);
});
