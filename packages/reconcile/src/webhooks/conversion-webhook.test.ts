import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject, silentLogger, VirtualClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { createConversionWebhook } from './conversion-webhook.ts';

interface Hub extends KubeObject {
  readonly spec: { readonly host: string; readonly port: number };
}

const handler = createConversionWebhook<Hub>({
  group: 'example.dev',
  hub: 'v2',
  isHub: (object): object is Hub => object.apiVersion === 'example.dev/v2',
  versions: {
    v1: {
      toHub: ({ metadata, kind, spec }) => {
        assert.ok(isJsonObject(spec) && typeof spec.address === 'string', 'a spec with address');
        const [host = '', port] = spec.address.split(':');
        return { apiVersion: '', kind, metadata, spec: { host, port: Number(port) } };
      },
      fromHub: ({ spec, ...object }) => ({
        ...object,
        spec: { address: `${spec.host}:${spec.port}` },
      }),
    },
  },
  clock: new VirtualClock(),
  logger: silentLogger,
});

const metadata = { name: 'a', uid: 'u' };
const old = { apiVersion: 'example.dev/v1', kind: 'Site', metadata, spec: { address: 'a:80' } };
const hub = { apiVersion: 'example.dev/v2', kind: 'Site', metadata, spec: { host: 'a', port: 80 } };

async function convert(
  desiredAPIVersion: string,
  objects: readonly unknown[],
): Promise<JsonObject> {
  const request = { uid: '1', desiredAPIVersion, objects };
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
  const body = JSON.stringify(review);
  const response = await handler(new Request('https://webhook/convert', { method: 'POST', body }));
  const answer: unknown = await response.json();
  assert.ok(isJsonObject(answer) && isJsonObject(answer.response));
  return answer.response;
}

test('objects are converted through the hub, in both ways', async () => {
  const success = { uid: '1', result: { status: 'Success' } };
  const toHub = await convert('example.dev/v2', [old, hub]);
  assert.deepEqual(toHub, { ...success, convertedObjects: [hub, hub] });
  const fromHub = await convert('example.dev/v1', [hub, old]);
  assert.deepEqual(fromHub, { ...success, convertedObjects: [old, old] });
});

test('when one object cannot be converted, none is', async () => {
  const { result, convertedObjects } = await convert('example.dev/v2', [hub, { ...old, spec: {} }]);
  assert.deepEqual(convertedObjects, []);
  assert.ok(isJsonObject(result));
  assert.equal(result.status, 'Failure');
});

test('versions that nobody knows are named', async () => {
  for (const desired of ['example.dev/v3', 'other.dev/v1']) {
    const { result } = await convert(desired, [hub]);
    const message = `Cannot convert "a": unknown version ${desired}`;
    assert.deepEqual(result, { status: 'Failure', message });
  }
});
