import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'node:test';
import { isJsonObject, silentLogger, systemClock } from '@fnlet/base';
import { type HttpsListener, listenHttps } from '@fnlet/client/tls';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import {
  createCertificateKeeper,
  createConversionWebhook,
  createMutatingWebhook,
  createValidatingWebhook,
  routePaths,
} from '@fnlet/reconcile';
import { startTestCluster } from '../src/index.ts';

const ports = { clock: systemClock, logger: silentLogger };
const host = 'operator.default.svc';

const configurationType: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};

const configuration: KubeObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'sites' },
  webhooks: [
    {
      name: 'sites.example.dev',
      clientConfig: { url: `https://${host}/validate` },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
};

const handler = routePaths({
  '/validate': createValidatingWebhook(() => ({ denied: 'no' }), ports),
  '/mutate': createMutatingWebhook(() => undefined, ports),
  '/convert': createConversionWebhook({
    ...ports,
    group: 'example.dev',
    hub: 'v1',
    versions: {},
    isHub: (object): object is KubeObject => isJsonObject(object),
  }),
});

/** Calls as an API server does: it trusts the bundle of the configuration and nothing else. */
function call(port: number, path: string, ca: string): Promise<string> {
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: '1', operation: 'CREATE', object: null, oldObject: null },
  });
  return new Promise((resolve, reject) => {
    const options = { port, path, ca, method: 'POST', servername: host, agent: false };
    const asked = request({ host: '127.0.0.1', ...options }, async (response) => {
      const chunks = await response.toArray();
      resolve(`${response.statusCode} ${Buffer.concat(chunks).toString()}`);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

test('webhooks are served with a certificate that the API trusts, and that replicas share', async () => {
  await using cluster = await startTestCluster({ clock: 'system', objects: [configuration] });
  const { client } = cluster;
  const abort = new AbortController();
  const listening: HttpsListener[] = [];
  const keep = async (): Promise<{ readonly certPem: string; readonly running: Promise<void> }> => {
    const served = Promise.withResolvers<{ certPem: string; keyPem: string }>();
    const keeper = createCertificateKeeper({
      ...ports,
      client,
      secret: { namespace: 'default', name: 'webhook-tls' },
      hosts: [host],
      targets: [
        {
          kind: 'ValidatingWebhookConfiguration',
          name: 'sites',
          webhooks: ['sites.example.dev'],
        },
      ],
      onChange: (certificates) => served.resolve(certificates),
    });
    const running = keeper.run(abort.signal);
    const certificate = await served.promise;
    const where = { host: '127.0.0.1', port: 0 };
    listening.push(await listenHttps({ ...where, handler, certificate, logger: silentLogger }));
    return { certPem: certificate.certPem, running };
  };
  const first = await keep();
  const second = await keep();
  assert.equal(second.certPem, first.certPem);
  const { webhooks } = await client.of(configurationType).get({ namespace: '', name: 'sites' });
  assert.ok(Array.isArray(webhooks) && isJsonObject(webhooks[0]));
  const { clientConfig } = webhooks[0];
  assert.ok(isJsonObject(clientConfig));
  assert.equal(clientConfig.url, `https://${host}/validate`);
  const ca = Buffer.from(String(clientConfig.caBundle), 'base64').toString();
  for (const { port } of listening) {
    const denied = await call(port, '/validate', ca);
    assert.match(denied, /^200 .*"uid":"1","allowed":false,"status":\{"code":403,"message":"no"\}/);
    assert.match(await call(port, '/mutate', ca), /^200 .*"allowed":true/);
    assert.match(await call(port, '/convert', ca), /^400 /);
    assert.match(await call(port, '/elsewhere', ca), /^404 /);
  }
  abort.abort();
  await Promise.all([first.running, second.running]);
  await Promise.all(listening.map((one) => one.close()));
});
