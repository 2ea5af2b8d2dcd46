import { isJsonObject } from '@fnlet/base';
import { type KubeObject, toKubeTime } from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import { countEviction, decideEviction } from '../builtins/policy/decide-eviction.ts';
import { objectField, withFields } from '../object/object-form.ts';
import { requireObject, storedObjects } from '../object/objects.ts';
import { type ApiResponse, jsonResponse } from '../request/api-request.ts';
import { bodyFormat, decodeBody, isDecoded } from '../request/body.ts';
import { type DeleteOptions, parseDeleteOptions } from '../request/delete-options.ts';
import { managerOf } from '../request/field-manager.ts';
import { type ResourceRequest, routeKey } from '../request/resource-request.ts';
import { deleteObject } from '../write/delete.ts';
import { updateObject } from '../write/update.ts';

/**
 * POST of an Eviction (policy/v1): deletes a Pod when its PodDisruptionBudget allows it. What
 * `kubectl drain` asks for.
 *
 * @throws StatusError `NotFound`, `TooManyRequests` (the budget forbids it), `BadRequest`
 */
export async function evictPod(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const key = routeKey(route);
  const options = await readEviction(asked, key.name);
  const { object: pod } = requireObject(context, resource, key);
  const budgets = context.catalog.findStored('policy', 'poddisruptionbudgets');
  const stored = budgets === undefined ? [] : storedObjects(context, budgets, key.namespace);
  const decision = decideEviction(pod, stored);
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind === 'counted' && budgets !== undefined && !options.dryRun) {
    await updateObject(context, budgets, {
      key: { namespace: key.namespace, name: decision.budget.metadata.name },
      subresource: 'status',
      dryRun: false,
      propose: (current) => ({
        object: counted(current, pod, toKubeTime(context.clock.now())),
        manager: managerOf(asked.request, ''),
      }),
    });
  }
  await deleteObject(context, resource, { key, ...options });
  return jsonResponse(201, success);
}

// Two evictions at once: the second one sees what the first left of the budget.
function counted(budget: KubeObject, pod: KubeObject, time: string): KubeObject {
  const decision = decideEviction(pod, [budget]);
  if (decision.kind === 'refused') throw decision.error;
  return withFields(budget, { status: countEviction(budget, pod.metadata.name, time) });
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

async function readEviction({ request }: ResourceRequest, name: string): Promise<DeleteOptions> {
  const format = bodyFormat(request) === 'protobuf' ? 'protobuf' : 'yaml';
  const body = await decodeBody(request, format);
  if (!isDecoded(body)) throw badRequest(`error decoding an Eviction: ${body.malformed}`);
  const eviction = isJsonObject(body.value) ? body.value : {};
  if (objectField(eviction, 'metadata').name !== name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  return parseDeleteOptions(request.query, eviction.deleteOptions);
}
