import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openServer } from './opened-server.ts';

const clientConfig = { url: 'https://hooks.example.com' };
const hook = {
  name: 'a.example.com',
  clientConfig,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

const rows = [
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', { webhooks: [hook] }],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', { webhooks: [hook] }],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', { spec: {} }],
  [
    'apiregistration.k8s.io/v1',
    'APIService',
    { spec: { groupPriorityMinimum: 1, versionPriority: 1 } },
  ],
] as const;

for (const [apiVersion, kind, rest] of rows) {
  it(`says to whoever writes a ${kind} that it has no effect`, async () => {
    await using server = await openServer();
    const path = `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;
    const body = { apiVersion, kind, metadata: { name: 'a.example.com' }, ...rest };
    const { status, headers } = await server.ask('POST', path, { body });
    assert.equal(status, 201);
    assert.match(headers.warning ?? '', /^299 - ".* here.*"$/);
  });
}
