import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';

/**
 * A JSON patch (RFC 6902) that gives an object this spec, unless somebody else has given it another
 * since it was read. What its controller writes into the status meanwhile is no obstacle.
 */
export function planSpecPatch({ metadata }: KubeObject, spec: object): readonly JsonObject[] {
  return [
    { op: 'test', path: '/metadata/generation', value: metadata.generation ?? null },
    { op: 'add', path: '/spec', value: spec },
  ];
}
