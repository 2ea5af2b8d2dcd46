import type { KubeObject, ResourceType } from '@fnlet/machinery';

/** Whose calls must trust the authority: the webhooks of a configuration, or a CRD's conversion. */
export type CertificateTarget =
  | {
      readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';
      readonly name: string;
      /** Names of the webhooks in it that this server answers. */
      readonly webhooks: readonly string[];
    }
  | { readonly kind: 'CustomResourceDefinition'; readonly name: string };

const types: Readonly<Record<CertificateTarget['kind'], ResourceType>> = {
  ValidatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    namespaced: false,
  },
  MutatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'MutatingWebhookConfiguration',
    plural: 'mutatingwebhookconfigurations',
    namespaced: false,
  },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  },
};

export function targetType(target: CertificateTarget): ResourceType {
  return types[target.kind];
}

/** What is applied to a target: the authority, and nothing else. */
export function trustOf(target: CertificateTarget, caPem: string): KubeObject {
  const { group, version, kind } = targetType(target);
  const clientConfig = { caBundle: Buffer.from(caPem).toString('base64') };
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: target.name } };
  if (target.kind === 'CustomResourceDefinition') {
    return { ...object, spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig } } } };
  }
  return { ...object, webhooks: target.webhooks.map((name) => ({ name, clientConfig })) };
}
