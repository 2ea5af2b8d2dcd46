import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decideTraceTarget, kymaTraceCollector } from './trace-target.ts';

const endpoint = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const traces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const kyma = 'TRACE_COLLECTOR_ENDPOINT';

const rows: readonly (readonly [Readonly<Record<string, string>>, string | undefined])[] = [
  [{}, undefined],
  [{ [endpoint]: 'http://a:4318' }, 'http://a:4318/v1/traces'],
  [{ [endpoint]: 'http://a/b/' }, 'http://a/b/v1/traces'],
  [{ [endpoint]: 'http://a', [traces]: 'https://b/own' }, 'https://b/own'],
  [{ [kyma]: 'http://c/v1/traces' }, 'http://c/v1/traces'],
  [{ [kyma]: 'http://c', [endpoint]: 'http://a' }, 'http://a/v1/traces'],
  [{ [kyma]: kymaTraceCollector }, undefined],
  [{ [endpoint]: 'grpc://a' }, undefined],
  [{ [endpoint]: 'nonsense' }, undefined],
  [{ [endpoint]: 'http://a', OTEL_SDK_DISABLED: 'true' }, undefined],
  [{ [endpoint]: 'http://a', OTEL_TRACES_EXPORTER: 'none' }, undefined],
];

for (const [env, expected] of rows) {
  it(`decideTraceTarget() sends spans to ${expected} for ${JSON.stringify(env)}`, () => {
    assert.equal(decideTraceTarget(env, 'kyma')?.url, expected);
  });
}

it('decideTraceTarget() reads the variable of Kyma for its functions alone', () => {
  assert.equal(decideTraceTarget({ [kyma]: 'http://c' }), undefined);
});

it('decideTraceTarget() reads headers and the name of the service', () => {
  const env = {
    [endpoint]: 'http://a',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20eA==, x = y ,=z,bad=%zz',
    OTEL_SERVICE_NAME: 'mine',
  };
  const { headers, service } = decideTraceTarget(env) ?? {};
  assert.deepEqual(headers, { authorization: 'Basic eA==', x: 'y', bad: '%zz' });
  assert.equal(service, 'mine');
});
