import type { KubeObject } from '@fnlet/machinery';
import type { ObjectShape } from '@fnlet/sdk/operator';
import { contractVersion, type ReconcileCall } from '@fnlet/sdk/operator-wire';

/** What a call is made of. */
export interface CallParts
  extends Pick<
    ReconcileCall,
    'operator' | 'what' | 'run' | 'reason' | 'attempt' | 'now' | 'required'
  > {
  readonly deadlineMs: number;
  readonly object: ObjectShape;
  readonly children: readonly ObjectShape[];
  readonly related: readonly ObjectShape[];
}

/** The call as it goes over the wire: nothing in it is who owns which fields. */
export function reconcileCall(parts: CallParts): ReconcileCall {
  const { deadlineMs, object, children, related, required, ...rest } = parts;
  const { uid = '', generation, resourceVersion } = object.metadata;
  const deadline = new Date(Date.parse(rest.now) + deadlineMs).toISOString();
  return {
    contract: contractVersion,
    ...rest,
    deadline,
    object: shown(object),
    children: children.map(shown),
    related: related.map(shown),
    ...(required === undefined || required.length === 0 ? {} : { required }),
    sent: {
      uid,
      ...(generation === undefined ? {} : { generation }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function shown(object: ObjectShape): ObjectShape {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Whether an answer about `sent` is about the object as it is known by now. */
export function isStale(
  sent: ObjectShape['metadata'],
  now: KubeObject['metadata'] | undefined,
): boolean {
  if (now === undefined || now.uid !== sent.uid) return true;
  if (now.deletionTimestamp !== sent.deletionTimestamp) return true;
  // Kinds without a generation have only this to tell that something was asked for anew.
  if (now.generation === undefined) return now.resourceVersion !== sent.resourceVersion;
  return now.generation !== sent.generation;
}
