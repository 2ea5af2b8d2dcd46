import type { FunctionSource, Mount } from '@fnlet/api';
import type { EnvironmentSpec } from './resolve-environment.ts';

/** Everything of a Revision that names Secrets and ConfigMaps. */
export interface ReferringSpec extends EnvironmentSpec {
  readonly mounts?: readonly Mount[];
}

/** A Secret or ConfigMap of the Function's namespace. */
export interface EnvironmentReference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
}

/** The Secrets and ConfigMaps that environment and mounts name; some perhaps more than once. */
export function referencedObjects(spec: ReferringSpec): readonly EnvironmentReference[] {
  const pairs = [
    ...(spec.envFrom ?? []).map(({ secretRef, configMapRef }) => [secretRef, configMapRef]),
    ...(spec.env ?? []).map(({ valueFrom }) => [
      valueFrom?.secretKeyRef,
      valueFrom?.configMapKeyRef,
    ]),
  ];
  const names = [
    ...pairs.map(([secret, configMap]) => [secret?.name, configMap?.name]),
    ...(spec.mounts ?? []).map(({ secret, configMap }) => [secret, configMap]),
  ];
  return names.flatMap(([secret, configMap]) => [
    ...(secret === undefined ? [] : [{ kind: 'Secret', name: secret } as const]),
    ...(configMap === undefined ? [] : [{ kind: 'ConfigMap', name: configMap } as const]),
  ]);
}

/** The Secrets and ConfigMaps that a source is made of, or fetched with. */
function sourceObjects({ configMap, archive, git }: FunctionSource): EnvironmentReference[] {
  const secrets = [archive?.secretRef, git?.secretRef].flatMap((secret) => secret ?? []);
  return [
    ...(configMap === undefined ? [] : [{ kind: 'ConfigMap', name: configMap.name } as const]),
    ...secrets.map(({ name }) => ({ kind: 'Secret', name }) as const),
  ];
}

/**
 * The objects that a Function names, as keys of an index: when one of them changes, the Functions
 * that it concerns are found without looking at all.
 */
export function functionReferences(
  namespace: string,
  spec: ReferringSpec & { readonly source: FunctionSource },
): string[] {
  const objects = [...referencedObjects(spec), ...sourceObjects(spec.source)];
  return [...new Set(objects.map(({ kind, name }) => referenceKey(kind, namespace, name)))];
}

export function referenceKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
