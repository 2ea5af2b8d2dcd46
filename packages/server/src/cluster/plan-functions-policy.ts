import type { KubeObject } from '@fnlet/machinery';
import { clusterNames } from './names.ts';

/**
 * Who reaches the Pods of Runners of a namespace: the Gateways and the controller, which calls for
 * Triggers, and nobody else. Each Pod is closed by itself, to functions of its namespace, too, and
 * warm ones before they are given code. Others are let in by NetworkPolicies of their own, which
 * add up (decision 063).
 */
export function planFunctionsPolicy(
  namespace: string,
  systemNamespace: string,
): KubeObject & { readonly spec: object } {
  const { functionsPolicy: name, functionsPolicyLabel, gateway, controller } = clusterNames;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      ...{ name, namespace },
      labels: { 'app.kubernetes.io/managed-by': 'fnlet', [functionsPolicyLabel]: 'true' },
    },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'fnlet' } },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: {
                matchLabels: { 'kubernetes.io/metadata.name': systemNamespace },
              },
              podSelector: {
                matchExpressions: [
                  {
                    ...{ key: 'app.kubernetes.io/name', operator: 'In' },
                    values: [gateway, controller],
                  },
                ],
              },
            },
          ],
          ports: [{ port: 8080, protocol: 'TCP' }],
        },
      ],
    },
  };
}
