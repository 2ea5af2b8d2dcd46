import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { type Transport, TransportError, type TransportRequest } from '@fnlet/client';
import { ConfigMap, defineKind, field, operator, validating } from '@fnlet/sdk/operator';
import { type RunOperatorsOptions, runOperators } from './run-operators.ts';

const Site = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'Site',
  description: 'A site.',
  spec: { html: field.text('The page.') },
});

/** An API that answers nothing before it is given up. */
function silentApi(onRequest: (request: TransportRequest) => void): Transport {
  const close = (): Promise<void> => Promise.resolve();
  return {
    request(request) {
      const { promise, reject } = Promise.withResolvers<never>();
      const give = (): void => reject(new TransportError('Aborted', 'Cannot ask: aborted'));
      request.signal?.addEventListener('abort', give, { once: true });
      onRequest(request);
      return promise;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function optionsFor(transport: Transport): RunOperatorsOptions {
  const sites = operator(Site, { reconcile: () => ({}) });
  const asked = operator(ConfigMap, {
    webhooks: [validating(ConfigMap, () => undefined)],
    reconcile: () => ({}),
  });
  return {
    operators: [sites, asked],
    ...{ transport, name: 'sites', namespace: 'default', identity: 'one', replicas: 'one' },
    ...{ install: true, freeze: true },
    webhookTerms: () => ({ host: '127.0.0.1', port: 0, endpointAt: () => ({ url: 'https://a' }) }),
    ...{ clock: systemClock, random: systemRandom, logger: silentLogger },
  };
}

for (const what of ['webhooks', 'definitions']) {
  test(`who is told to stop while it waits for its ${what} ends without an error`, async () => {
    const stop = new AbortController();
    const options = optionsFor(silentApi(() => stop.abort()));
    const [sites] = options.operators;
    assert.ok(sites);
    const operators = what === 'webhooks' ? options.operators : [sites];
    await runOperators({ ...options, operators }, stop.signal);
  });
}

test('an API that cannot be reached at the start is why it fails', async () => {
  const unreachable = new TransportError('Unreachable', 'Cannot ask: ECONNREFUSED');
  const transport: Transport = {
    ...silentApi(() => undefined),
    request: () => Promise.reject(unreachable),
  };
  const never = new AbortController().signal;
  await assert.rejects(runOperators(optionsFor(transport), never), { code: 'Unreachable' });
});
