/** What docs/runtime-contract.md says of spans, run against a Runner that sends them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContractSubject } from './runner-contract.ts';
import { type CallOptions, RunnerUnderContract } from './runner-under-contract.ts';
import { type CollectedSpan, startTraceCollector } from './trace-collector.ts';

export { type CollectedSpan, startTraceCollector } from './trace-collector.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const caller = 'b7ad6b7169203331';
const decided = (flags: '00' | '01'): Readonly<Record<string, string>> => ({
  traceparent: `00-${traceId}-${caller}-${flags}`,
});
// As the Gateway makes it for a call that came without one.
const undecided = { traceparent: `00-${traceId}-0af76519${traceId.slice(24)}-00` };

/** Runs the contract with the function of the subject that the vectors are for. */
export function spansContract({ name, program, contractFunction }: ContractSubject): void {
  /** The spans of these calls, all of them, once the Runner has ended. */
  const spansOf = async (
    calls: readonly CallOptions[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly CollectedSpan[]> => {
    await using collector = await startTraceCollector();
    await using runner = await RunnerUnderContract.start(program, {
      ...contractFunction,
      env: { CONTRACT: '', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env },
    });
    for (const call of calls) await runner.call(call);
    runner.send({ type: 'drain' });
    assert.equal(await runner.exited(), 0, runner.log);
    assert.ok(collector.requests.every(({ path }) => path === '/v1/traces'));
    return collector.spans;
  };

  test(`${name}: a call of a sampled trace is a span of that trace`, async () => {
    const headers = { ...decided('01'), 'x-request-id': 'my-call' };
    const [span, ...more] = await spansOf([{ path: '/text?q=1', headers }]);
    assert.ok(span !== undefined && more.length === 0);
    assert.deepEqual([span.traceId, span.parentSpanId, span.kind], [traceId, caller, 2]);
    assert.match(span.spanId, /^(?!0{16})[\da-f]{16}$/);
    assert.deepEqual(span.attributes, {
      'http.request.method': 'GET',
      'url.path': '/text',
      'faas.trigger': 'http',
      'faas.invocation_id': 'my-call',
      'http.response.status_code': '200',
    });
    assert.equal(span.status.code ?? 0, 0);
    const { 'service.name': service, 'service.namespace': namespace } = span.resource;
    assert.deepEqual([service, namespace], ['hello', 'demo']);
    const [start, end] = [BigInt(span.startTimeUnixNano), BigInt(span.endTimeUnixNano)];
    assert.ok(start > 1_600_000_000_000_000_000n && end >= start, `${start} ${end}`);
  });

  test(`${name}: calls are sampled as their callers say, or else always`, async () => {
    const calls = [decided('00'), undecided, { b3: '0' }, {}];
    const spans = await spansOf(calls.map((headers) => ({ path: '/text', headers })));
    assert.deepEqual(
      spans.map(({ parentSpanId }) => parentSpanId ?? ''),
      ['', ''],
    );
    assert.equal(spans[0]?.traceId, traceId);
    assert.notEqual(spans[1]?.traceId, traceId);
  });

  test(`${name}: a span says that its call failed, and a service may have a name`, async () => {
    const [span] = await spansOf([{ path: '/throw' }], { OTEL_SERVICE_NAME: 'other' });
    assert.equal(span?.status.code, 2);
    assert.equal(span?.attributes['http.response.status_code'], '500');
    assert.equal(span?.resource['service.name'], 'other');
  });

  test(`${name}: without a collector calls are answered, and the log says so once`, async () => {
    const env = { CONTRACT: '', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    await using runner = await RunnerUnderContract.start(program, { ...contractFunction, env });
    for (let call = 0; call < 3; call++) {
      assert.equal((await runner.call({ path: '/text' })).status, 200);
    }
    runner.send({ type: 'drain' });
    assert.equal(await runner.exited(), 0);
    assert.equal(runner.log.match(/Cannot send 3 spans to http:\/\/127\.0\.0\.1:9: /g)?.length, 1);
  });
}
