import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';

/** Written by Fnlet, or by kubectl about what it applied: nothing that a user wants elsewhere. */
const writtenAnnotations: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'fnlet.dev/sync',
  'fnlet.dev/development-until',
  'fnlet.dev/scaled-by',
  'fnlet.dev/owner',
  'fnlet.dev/order',
]);

/**
 * What somebody would have written to get this object: without status, without what the server
 * fills in, and without owners, which other clusters do not have.
 *
 * @param namespace where it is to be; `undefined`: wherever it is applied
 */
export function planManifest(object: KubeObject, namespace: string | undefined): KubeObject {
  const { apiVersion, kind, metadata, status: _status, ...fields } = object;
  const { name, labels } = metadata;
  const annotations = withoutWritten(metadata.annotations);
  const isNamespaced = metadata.namespace !== undefined;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(isNamespaced && namespace !== undefined ? { namespace } : {}),
      ...(isEmpty(labels) ? {} : { labels }),
      ...(isEmpty(annotations) ? {} : { annotations }),
    },
    ...withoutServerFields(kind, fields),
  };
}

type Texts = Readonly<Record<string, string>>;

function withoutWritten(annotations: Texts = {}): Texts {
  return Object.fromEntries(
    Object.entries(annotations).filter(([name]) => !writtenAnnotations.has(name)),
  );
}

function withoutServerFields(
  kind: string,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (kind === 'Function' && isJsonObject(fields.spec)) {
    // Somebody works on it here, and not elsewhere.
    const { development: _, ...spec } = fields.spec;
    return { ...fields, spec };
  }
  if (kind !== 'ServiceAccount') return fields;
  // Tokens that the cluster made for it (core/v1 ServiceAccount).
  const { secrets: _, ...others } = fields;
  return others;
}

function isEmpty(texts: Texts | undefined): boolean {
  return texts === undefined || Object.keys(texts).length === 0;
}

/** What others name comes before them. */
const order: readonly string[] = [
  ...['CustomResourceDefinition', 'ServiceAccount', 'ConfigMap', 'Secret', 'Runtime'],
  ...['Broker', 'Function', 'Operator', 'Trigger'],
];

/** The objects in the order in which they are applied; within a kind by namespace and name. */
export function orderManifests(objects: readonly KubeObject[]): readonly KubeObject[] {
  const keyOf = ({ kind, metadata: { namespace = '', name } }: KubeObject): string =>
    `${order.indexOf(kind)} ${namespace}/${name}`;
  return [...objects].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
