import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChunkedBody } from './chunked-body.ts';

interface Outcome {
  /** Offset just past the body, or -1 when it is broken. */
  readonly end: number;
  readonly done: boolean;
  readonly content: string;
}

function follow(text: string, cuts: readonly number[] = []): Outcome {
  const body = new ChunkedBody();
  const bytes = Buffer.from(text, 'latin1');
  const borders = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b);
  let from = 0;
  let content = '';
  for (const to of borders) {
    const chunk = bytes.subarray(from, to);
    const end = body.advance(chunk, 0, (start, past) => {
      content += chunk.toString('latin1', start, past);
    });
    if (end < 0) return { end, done: false, content };
    if (body.done) return { end: from + end, done: true, content };
    from = to;
  }
  assert.equal(body.contentBytes, content.length);
  return { end: from, done: false, content };
}

const good = '5\r\nhello\r\n00A;x="y z";a;b=c\r\n0123456789\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n';

test('a chunked body ends where it ends, and its content is heard', () => {
  const { end, done, content } = follow(`${good}GET /`);
  assert.deepEqual(
    { end, done, content },
    { end: good.length, done: true, content: 'hello0123456789' },
  );
  assert.equal(follow('0\r\n\r\n').done, true);
  assert.equal(follow('fFf\r\n').done, false);
});

test('the lines of a trailer section are kept, but for the empty one at its end', () => {
  const body = new ChunkedBody();
  for (const octet of Buffer.from(good)) body.advance(Buffer.from([octet]), 0);
  assert.equal(body.trailers, 'X-Sum: 1\r\nY:\r\n');
});

test('a chunked body that is not well-formed is broken', () => {
  const broken = [
    'g\r\n',
    '\r\n',
    ' 5\r\n',
    '5 \r\n',
    '5\n',
    '5\r\r',
    '-5\r\n',
    '+5\r\n',
    '0x5\r\n',
    ';a\r\n',
    '1;\r\n',
    '1; a\r\n',
    '1;a =b\r\n',
    '1;a=\r\n',
    '1;a=b,c\r\n',
    '1;a="b\\""\r\n',
    '1;a="b"c\r\n',
    '0\r\nContent-Length: 1\r\n',
    '0\r\ntransfer-encoding: chunked\r\n',
    '0\r\nA: b\r\nHOST: x\r\n',
    '1234567890123\r\n',
    '1\r\nab',
    '1\r\na\n',
    '1\r\na\r\r',
    '0\r\n a: b\r\n',
    '0\r\na b: c\r\n',
    '0\r\n: b\r\n',
    '0\r\na\r\n',
    '0\r\na: \x00\r\n',
    '0\r\na: b\n',
    '0\r\n\n',
    '5;a\nb\r\n',
    `1;${'a'.repeat(257)}\r\n`,
    `0\r\na: ${'a'.repeat(8200)}\r\n`,
  ];
  for (const text of broken) assert.equal(follow(text).end, -1, JSON.stringify(text));
});

test('a chunked body means the same however it is cut', () => {
  for (let cut = 1; cut < good.length; cut++) assert.deepEqual(follow(good, [cut]), follow(good));
  const parts = fc.constantFrom(
    '0',
    '1',
    '5',
    '\r\n',
    '\r',
    'a',
    'hello',
    ';',
    ':',
    '\r\n\r\n',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 15 }), fc.array(fc.nat(40)), (list, cuts) => {
      const text = list.join('');
      const within = cuts.filter((cut) => cut > 0 && cut < text.length);
      const [cutUp, whole] = [follow(text, within), follow(text)];
      assert.deepEqual(cutUp, whole);
    }),
    { numRuns: 1000 },
  );
});
