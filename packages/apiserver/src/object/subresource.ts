import type { KubeObject } from '@fnlet/machinery';
import type { Strategy } from '../resource/strategy.ts';
import { objectField, withFields, withMetadata } from './object-form.ts';

/**
 * What a write to `subresource` may change of an object: each subresource owns its part, and a
 * write to the object itself leaves the parts that have their own subresource alone.
 */
export function mergeSubresource(
  strategy: Strategy,
  subresource: string | undefined,
  { wished, current }: { readonly wished: KubeObject; readonly current: KubeObject },
): KubeObject {
  switch (subresource) {
    case undefined:
      return strategy.hasStatus ? withFields(wished, { status: current.status }) : wished;
    case 'status':
      return ownPart(annotate(strategy, { wished, current }), wished, { status: wished.status });
    case 'approval': {
      const { conditions } = objectField(wished, 'status');
      return ownPart(current, wished, {
        status: { ...objectField(current, 'status'), conditions },
      });
    }
    case 'ephemeralcontainers': {
      const { ephemeralContainers } = objectField(wished, 'spec');
      return ownPart(current, wished, {
        spec: { ...objectField(current, 'spec'), ephemeralContainers },
      });
    }
    case 'finalize': {
      const { finalizers } = objectField(wished, 'spec');
      return ownPart(current, wished, { spec: { ...objectField(current, 'spec'), finalizers } });
    }
    default:
      // `scale` comes as the whole object with only its replicas changed.
      return wished;
  }
}

// Controllers of builtin kinds note something about an object together with its status, such as the
// revision of a Deployment; definitions and custom resources keep their metadata.
function annotate(
  { custom, type }: Strategy,
  { wished, current }: { readonly wished: KubeObject; readonly current: KubeObject },
): KubeObject {
  if (custom || type.group === 'apiextensions.k8s.io') return current;
  return withMetadata(current, { annotations: wished.metadata.annotations });
}

// managedFields are part of every subresource: that is where their owners are kept.
function ownPart(
  current: KubeObject,
  wished: KubeObject,
  part: Readonly<Record<string, unknown>>,
): KubeObject {
  const { managedFields } = wished.metadata;
  return withFields(withMetadata(current, { managedFields }), part);
}
