import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFunctionsPolicy } from './plan-functions-policy.ts';

test('planFunctionsPolicy() lets Gateways and controllers of the installation in, and nobody else', () => {
  assert.deepEqual(planFunctionsPolicy('shop', 'fnlet-system'), {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: 'fnlet-functions',
      namespace: 'shop',
      labels: {
        'app.kubernetes.io/managed-by': 'fnlet',
        'fnlet.dev/functions-policy': 'true',
      },
    },
    spec: {
      // All Pods of Runners, before they are given code, too.
      podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'fnlet' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'fnlet-system' } },
              podSelector: {
                matchExpressions: [
                  {
                    key: 'app.kubernetes.io/name',
                    operator: 'In',
                    values: ['fnlet-gateway', 'fnlet-controller'],
                  },
                ],
              },
            },
          ],
          ports: [{ port: 8080, protocol: 'TCP' }],
        },
      ],
    },
  });
});
