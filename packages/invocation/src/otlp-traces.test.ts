import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type FinishedSpan, formatOtlpTraces, spanKinds, spanStatus } from './otlp-traces.ts';

const span: FinishedSpan = {
  scope: 'one',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'GET',
  kind: spanKinds.server,
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.75,
  attributes: { text: 'a', whole: 7, part: 0.5, huge: Number.NaN, yes: true, list: ['a', 1] },
  events: [{ name: 'read', atMs: 0, attributes: {} }],
  links: [{ traceId: '1', spanId: '2', attributes: { a: 'b' } }],
  status: { code: spanStatus.error, message: 'why' },
};

it('formatOtlpTraces() writes spans by scope, as ProtoJSON has them', () => {
  const { attributes: _attributes, ...plain } = span;
  const sent = JSON.parse(
    formatOtlpTraces({ 'service.name': 'hello' }, [
      span,
      { ...plain, scope: 'two', attributes: {}, parentSpanId: '3', tracestate: 'a=1' },
      { ...span, attributes: {} },
    ]),
  );
  assert.equal(sent.resourceSpans.length, 1);
  const [{ resource, scopeSpans }] = sent.resourceSpans;
  assert.deepEqual(resource.attributes, [{ key: 'service.name', value: { stringValue: 'hello' } }]);
  assert.deepEqual(
    scopeSpans.map(({ scope, spans }: { scope: { name: string }; spans: unknown[] }) => [
      scope.name,
      spans.length,
    ]),
    [
      ['one', 2],
      ['two', 1],
    ],
  );
  const [first] = scopeSpans[0].spans;
  assert.deepEqual(first.attributes, [
    { key: 'text', value: { stringValue: 'a' } },
    { key: 'whole', value: { intValue: '7' } },
    { key: 'part', value: { doubleValue: 0.5 } },
    { key: 'huge', value: { doubleValue: 'NaN' } },
    { key: 'yes', value: { boolValue: true } },
    {
      key: 'list',
      value: { arrayValue: { values: [{ stringValue: 'a' }, { intValue: '1' }] } },
    },
  ]);
  assert.equal(first.startTimeUnixNano, '1700000000000250000');
  assert.equal(first.endTimeUnixNano, '1700000000001750000');
  assert.deepEqual(first.events, [{ name: 'read', timeUnixNano: '0', attributes: [] }]);
  assert.deepEqual(first.status, { code: 2, message: 'why' });
  assert.ok(!('parentSpanId' in first) && !('traceState' in first));
  const [second] = scopeSpans[1].spans;
  assert.deepEqual([second.parentSpanId, second.traceState], ['3', 'a=1']);
});
