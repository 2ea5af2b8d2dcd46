import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import type { ApiContext } from '../../api-context.ts';
import { selects } from '../../builtins/label-selector-rule.ts';
import { showKept } from '../../object/converted-objects.ts';
import { readObject, storedObjects } from '../../object/objects.ts';
import type { Resource } from '../../resource/resource.ts';
import type { ParamKind, ParamReference } from './policy.ts';

type Ports = Pick<ApiContext, 'store' | 'catalog'>;

/** The resource of a kind; `undefined` when nobody serves it. */
export function findParamResource(
  { catalog }: Ports,
  { apiVersion, kind }: ParamKind,
): Resource | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return catalog.resources(group, version).find(({ strategy }) => strategy.type.kind === kind);
}

/** What a binding refers to. */
export interface WantedParams {
  readonly resource: Resource;
  readonly reference: ParamReference;
  /** That of the request; empty: it is about what has none. */
  readonly requestNamespace: string;
}

/**
 * The objects that a binding refers to, of one namespace or of the cluster.
 *
 * @throws Error in upstream's words, when the reference does not say which they are
 * @throws StatusError of the webhook that converts them
 */
export async function readParams(
  ports: Ports,
  wanted: WantedParams,
): Promise<readonly KubeObject[]> {
  const { resource, reference } = wanted;
  const found = find(ports, wanted, namespaceOf(wanted));
  if (found.length === 0 && reference.isNeeded) {
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return await showKept(resource, found);
}

function namespaceOf({ resource, reference, requestNamespace }: WantedParams): string {
  if (!resource.strategy.type.namespaced) {
    if (reference.namespace === '') return '';
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = reference.namespace || requestNamespace;
  if (namespace !== '') return namespace;
  const text = 'cannot use namespaced paramRef in policy binding that matches cluster-scoped';
  throw new Error(`${text} resources`);
}

function find(
  ports: Ports,
  { resource: { kept }, reference: { name, selector } }: WantedParams,
  namespace: string,
): readonly KubeObject[] {
  if (name !== '') {
    const read = readObject(ports, kept, { namespace, name });
    return read === undefined ? [] : [read.object];
  }
  return storedObjects(ports, kept, namespace)
    .filter(({ metadata }) => selects(selector, metadata.labels ?? {}))
    .toArray();
}
