import type { Clock } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import { type KubeObject, objectKey, toKubeTime } from '@fnlet/machinery';
import { planStatus, type StatusUpdate, type StatusWithConditions } from './plan-status.ts';

/** An object whose status this room can write. */
export interface ObjectWithStatus extends KubeObject {
  readonly status?: StatusWithConditions;
}

/** Writes what a controller found, and only when it differs. */
export interface StatusWriter<T extends ObjectWithStatus> {
  /**
   * Writes the status of `object` if it differs; returns the object as the API answered, or
   * `undefined` when nothing had to be written. `object` must be the state that the update is
   * about: its generation becomes `observedGeneration`.
   *
   * @throws StatusError `Conflict` when the object was replaced by another of the same name,
   *   `NotFound` when it is gone.
   */
  write(object: T, update: StatusUpdate, signal: AbortSignal): Promise<T | undefined>;
}

/**
 * The only writer of a kind's status: a merge patch of the status subresource with the fields that
 * differ. Where others write statuses of the same objects, a StatusApplier says its part.
 */
export function createStatusWriter<T extends ObjectWithStatus>(options: {
  readonly client: Pick<ResourceClient<T>, 'patch'>;
  readonly clock: Clock;
}): StatusWriter<T> {
  return {
    async write(object, update, signal) {
      const { generation, uid } = object.metadata;
      const now = toKubeTime(options.clock.now());
      const status = planStatus(object.status, update, { generation, now });
      if (status === undefined) return undefined;
      // The uid makes sure that a new object of the same name does not get the old one's status.
      const patch = { ...(uid === undefined ? {} : { metadata: { uid } }), status };
      const target = { subresource: 'status', signal };
      return options.client.patch(objectKey(object), { type: 'merge', patch }, target);
    },
  };
}
