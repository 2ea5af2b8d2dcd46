import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConfigMap,
  Deployment,
  defineKind,
  field,
  mutating,
  operator,
  validating,
} from '@fnlet/sdk/operator';
import { OperatorWebhooks } from './operator-webhooks.ts';

const pass = (): undefined => undefined;
const spec = { size: field.integer('How large.') };
const names = { group: 'example.dev', kind: 'Widget', description: 'A widget.' };
const Widget = defineKind({
  ...names,
  version: 'v2',
  spec,
  olderVersions: {
    v1: {
      spec,
      toNewest: (object) => ({ spec: object.spec }),
      fromNewest: (object) => ({ spec: object.spec }),
    },
  },
});

const url = { url: 'https://127.0.0.1:9443' };
const service = { service: { namespace: 'apps', name: 'widgets', port: 443 } };

test('operators without webhooks have nothing to serve', () => {
  const plain = operator(ConfigMap, { reconcile: () => ({}) });
  const webhooks = new OperatorWebhooks([plain]);
  assert.ok(webhooks.isEmpty);
  assert.deepEqual(webhooks.register('a', url), { configurations: [], targets: [] });
});

test('what the API is told names each webhook once, and where it is', () => {
  const webhooks = new OperatorWebhooks([
    operator(ConfigMap, {
      webhooks: [validating(ConfigMap, pass), validating(ConfigMap, pass)],
      reconcile: () => ({}),
    }),
    operator(Deployment, {
      webhooks: [
        mutating(Deployment, pass, {
          ...{ operations: ['DELETE'], failurePolicy: 'Ignore', timeout: '1500ms' },
        }),
      ],
      reconcile: () => ({}),
    }),
  ]);
  const { configurations, targets } = webhooks.register('mine', service);
  assert.deepEqual(targets, [
    {
      kind: 'ValidatingWebhookConfiguration',
      name: 'mine',
      webhooks: ['validate.configmaps.core', 'validate-2.configmaps.core'],
    },
    {
      kind: 'MutatingWebhookConfiguration',
      name: 'mine',
      webhooks: ['mutate.deployments.apps'],
    },
  ]);
  assert.deepEqual(configurations[1]?.webhooks, [
    {
      name: 'mutate.deployments.apps',
      clientConfig: { service: { ...service.service, path: '/mutate.deployments.apps' } },
      rules: [
        {
          apiGroups: ['apps'],
          apiVersions: ['v1'],
          resources: ['deployments'],
          operations: ['DELETE'],
          scope: 'Namespaced',
        },
      ],
      matchPolicy: 'Equivalent',
      failurePolicy: 'Ignore',
      timeoutSeconds: 2,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ]);
});

test('a definition with older versions says where they are converted, and who is trusted for it', () => {
  const widgets = operator(Widget, { reconcile: () => ({}) });
  const webhooks = new OperatorWebhooks([widgets, widgets]);
  const [definition] = webhooks.withConversions([Widget.crd], url);
  assert.deepEqual(definition?.spec.conversion, {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { url: 'https://127.0.0.1:9443/convert.widgets.example.dev' },
      conversionReviewVersions: ['v1'],
    },
  });
  assert.deepEqual(webhooks.register('mine', url).targets, [
    { kind: 'CustomResourceDefinition', name: 'widgets.example.dev' },
  ]);
  const plain = defineKind({ ...names, version: 'v1', spec });
  assert.deepEqual(webhooks.withConversions([{ ...plain.crd, metadata: { name: 'x' } }], url), [
    { ...plain.crd, metadata: { name: 'x' } },
  ]);
});
