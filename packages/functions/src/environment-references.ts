import type { EnvironmentSpec } from './resolve-environment.ts';

/**
 * The Secrets and ConfigMaps that an environment names, as keys of an index: when one of them
 * changes, the Functions that it concerns are found without looking at all.
 */
export function environmentReferences(namespace: string, spec: EnvironmentSpec): string[] {
  const references = new Set<string>();
  const add = (kind: string, name: string | undefined): void => {
    if (name !== undefined) references.add(referenceKey(kind, namespace, name));
  };
  for (const { secretRef, configMapRef } of spec.envFrom ?? []) {
    add('Secret', secretRef?.name);
    add('ConfigMap', configMapRef?.name);
  }
  for (const { valueFrom } of spec.env ?? []) {
    add('Secret', valueFrom?.secretKeyRef?.name);
    add('ConfigMap', valueFrom?.configMapKeyRef?.name);
  }
  return [...references];
}

export function referenceKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
