import type { FunctionObject } from '@fnlet/api';

/**
 * Where a Function is called, or one of its Revisions that has a tag: by path at the Gateway. One
 * that is internal is not found there; it has the name of its Service, which leads to it from
 * inside.
 *
 * @param called its name, or `<tag>-<name>`
 */
export function functionUrl(
  { metadata: { namespace = '' }, spec }: Pick<FunctionObject, 'metadata' | 'spec'>,
  called: string,
  gatewayUrl: string,
): string {
  return spec.visibility === 'internal'
    ? `http://${called}.${namespace}.svc.cluster.local`
    : `${gatewayUrl}/${namespace}/${called}`;
}
