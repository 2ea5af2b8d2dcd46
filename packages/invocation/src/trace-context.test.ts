import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatTraceHeaders,
  formatTraceparent,
  formatW3cHeaders,
  type IncomingHeaders,
  readTraceContext,
  type TraceContext,
} from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const made = '11112222333344445555666677778888';
const sampled: TraceContext = { traceId, spanId, sampled: true };
const other = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

const rows: readonly (readonly [string, IncomingHeaders, TraceContext | undefined])[] = [
  ['no headers', {}, undefined],
  ['W3C', { traceparent: `00-${traceId}-${spanId}-01` }, sampled],
  [
    'W3C, not sampled',
    { traceparent: `00-${traceId}-${spanId}-00` },
    { ...sampled, sampled: false },
  ],
  [
    'other flags of W3C',
    { traceparent: `00-${traceId}-${spanId}-fe` },
    { ...sampled, sampled: false },
  ],
  [
    'tracestate',
    { traceparent: `00-${traceId}-${spanId}-01`, tracestate: ['a=1', 'b=2'] },
    { ...sampled, tracestate: 'a=1,b=2' },
  ],
  ['a later version', { traceparent: `01-${traceId}-${spanId}-01-more` }, sampled],
  ['version 00 with more', { traceparent: `00-${traceId}-${spanId}-01-more` }, undefined],
  ['version ff', { traceparent: `ff-${traceId}-${spanId}-01` }, undefined],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-${spanId}-01` }, undefined],
  ['capitals in W3C', { traceparent: `00-${traceId.toUpperCase()}-${spanId}-01` }, undefined],
  ['tracestate alone', { tracestate: 'a=1' }, undefined],
  ['B3 in one header', { b3: `${traceId}-${spanId}-1-0000000000000001` }, sampled],
  ['B3 in one header, debugged', { b3: `${traceId}-${spanId}-d` }, sampled],
  ['B3 in one header, undecided', { b3: `${traceId}-${spanId}` }, { ...sampled, sampled: false }],
  [
    'B3 in several headers',
    { 'x-b3-traceid': traceId.toUpperCase(), 'x-b3-spanid': spanId, 'x-b3-sampled': '1' },
    sampled,
  ],
  [
    'B3 with a short trace id, debugged',
    { 'x-b3-traceid': traceId.slice(16), 'x-b3-spanid': spanId, 'x-b3-flags': '1' },
    { ...sampled, traceId: `${'0'.repeat(16)}${traceId.slice(16)}` },
  ],
  [
    'B3 and W3C',
    { traceparent: `00-${other.traceId}-${other.spanId}-00`, b3: `${traceId}-${spanId}-1` },
    sampled,
  ],
  [
    'only the decision of B3, and W3C',
    { traceparent: `00-${traceId}-${spanId}-00`, 'x-b3-sampled': '1' },
    sampled,
  ],
  [
    'only the decision of B3',
    { 'x-b3-sampled': '1' },
    { traceId: made, spanId: made.slice(0, 16), sampled: true },
  ],
  [
    'only the decision of B3, in one header',
    { b3: '0' },
    { traceId: made, spanId: made.slice(0, 16), sampled: false },
  ],
  ['a broken B3', { b3: 'nonsense', 'x-b3-traceid': 'x' }, undefined],
  ['half a B3', { 'x-b3-traceid': traceId }, undefined],
];

for (const [name, headers, expected] of rows) {
  test(`readTraceContext() of ${name}`, () => {
    assert.deepEqual(
      readTraceContext(headers, () => made),
      expected,
    );
  });
}

test('what is passed on is read again as it was', () => {
  const hexadecimal = (length: number): fc.Arbitrary<string> =>
    fc
      .string({
        unit: fc.constantFrom(...'0123456789abcdef'),
        minLength: length,
        maxLength: length,
      })
      .filter((text) => !/^0+$/.test(text));
  const position = fc.record(
    { traceId: hexadecimal(32), spanId: hexadecimal(16), sampled: fc.boolean() },
    { noNullPrototype: true },
  );
  const read = (headers: IncomingHeaders): unknown => readTraceContext(headers, () => made);
  fc.assert(
    fc.property(position, (trace) => {
      const withState = { ...trace, tracestate: 'a=1' };
      assert.deepEqual(read(formatTraceHeaders(withState)), withState);
      assert.deepEqual(read(formatW3cHeaders(trace)), trace);
      assert.deepEqual(read({ traceparent: formatTraceparent(trace) }), trace);
    }),
  );
});

test('readTraceContext() takes whatever is sent', () => {
  const value = fc.oneof(fc.string(), fc.constantFrom('0', '1', traceId, spanId, '-', undefined));
  const headers = fc.record({
    traceparent: value,
    tracestate: value,
    b3: value,
    'x-b3-traceid': value,
    'x-b3-spanid': value,
    'x-b3-sampled': value,
  });
  fc.assert(
    fc.property(headers, (sent) => {
      const trace = readTraceContext(sent, () => made);
      if (trace !== undefined) {
        assert.match(formatTraceparent(trace), /^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
      }
    }),
  );
});
