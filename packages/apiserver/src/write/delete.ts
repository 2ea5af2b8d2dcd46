import { hasCode, type JsonObject } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { admissionOf } from '../admission/write-admission.ts';
import { modified, preconditionFailed } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { updateTriesMax } from '../limits.ts';
import { showKept } from '../object/converted-objects.ts';
import { removeObject, requireObject, writeObject } from '../object/objects.ts';
import type { DeleteOptions } from '../request/delete-options.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import { planDelete } from './plan-delete.ts';

/** What became of an object that was asked to be deleted. */
export interface Deletion {
  /** The object as it is, or was; in the version that is kept, where a webhook converts. */
  readonly object: KubeObject;
  readonly isGone: boolean;
}

/** Which object goes, and how; what is left out is up to the object. */
export interface DeleteRequest extends Partial<DeleteOptions> {
  readonly key: ObjectKey;
  /** Who asks. Default: the server itself. */
  readonly asker?: Asker | undefined;
}

/**
 * Deletes an object, or marks it as being deleted.
 *
 * @throws StatusError `NotFound`, `Forbidden`, `Conflict`: a precondition does not hold, or others
 *   change the object again and again
 */
export async function deleteObject(
  context: ApiContext,
  resource: Resource,
  request: DeleteRequest,
): Promise<Deletion> {
  const { strategy } = resource;
  const { key, dryRun = false } = request;
  // Without preconditions a DELETE means whatever is there, so it is tried again.
  for (let tries = 1; ; tries++) {
    const { object, revision: expected } = requireObject(context, resource.kept, key);
    checkPreconditions(resource, object, request);
    strategy.checkDelete?.(object);
    const admission = admissionOf(context, resource, request.asker);
    if (admission !== undefined) {
      const [shown = object] = await showKept(resource, [object]);
      await admission.admitDelete(shown, shownOptions(request), dryRun);
    }
    const plan = planDelete(strategy, object, { ...request, now: context.clock.now() });
    if (plan.kind === 'unchanged') return { object, isGone: false };
    const next = plan.kind === 'mark' ? plan.object : undefined;
    if (dryRun) return { object: next ?? object, isGone: next === undefined };
    try {
      if (next === undefined) {
        await removeObject(context, resource, { key, expected });
        return { object, isGone: true };
      }
      const { value } = await writeObject(context, resource.kept, { key, object: next, expected });
      return { object: value, isGone: false };
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
      if (tries === updateTriesMax) throw modified(strategy.type, key.name);
    }
  }
}

/** meta/v1 DeleteOptions, as webhooks see them. */
function shownOptions(request: DeleteRequest): JsonObject {
  const { gracePeriodSeconds, propagation, uid, resourceVersion, dryRun } = request;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}

function checkPreconditions(resource: Resource, object: KubeObject, options: DeleteRequest): void {
  const { type } = resource.strategy;
  const { name, uid, resourceVersion } = object.metadata;
  if (options.uid !== undefined && options.uid !== uid) {
    const found = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid})`;
    throw preconditionFailed(
      type,
      name,
      `${found}. The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const found = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match`;
    throw preconditionFailed(
      type,
      name,
      `${found} the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}
