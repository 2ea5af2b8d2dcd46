import { hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import { mergeConditions, toKubeTime } from '@fnlet/machinery';
import { badRequest, conflict, modified } from '../answer/status-texts.ts';
import { updateTriesMax } from '../limits.ts';
import { objectField, textField, withFields } from '../object/object-form.ts';
import { requireObject, writeObject } from '../object/objects.ts';
import { type ApiResponse, jsonResponse } from '../request/api-request.ts';
import { decodeBody, isDecoded } from '../request/body.ts';
import { managerOf, recordUpdate } from '../request/field-manager.ts';
import { parseWriteOptions } from '../request/request-options.ts';
import { type ResourceRequest, routeKey } from '../request/resource-request.ts';

/**
 * POST of a Pod's binding: a scheduler tells the node that it runs on, once and for all. It is the
 * only write that may set `spec.nodeName` of a Pod that exists.
 *
 * @throws StatusError `NotFound`, `Conflict` (placed already, or deleted), `BadRequest`
 */
export async function bindPod(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const options = parseWriteOptions(request.query, 'CreateOptions');
  const key = routeKey(route);
  const { nodeName, uid } = await readBinding(asked);
  for (let tries = 1; ; tries++) {
    const { object: pod, revision } = requireObject(context, resource, key);
    const spec = objectField(pod, 'spec');
    const { type } = resource.strategy;
    const refuse = (text: string): Error => conflict(type, key.name, text);
    const placed = textField(spec, 'nodeName');
    if (uid !== '' && uid !== pod.metadata.uid) throw refuse('the UID in the binding is another');
    if (pod.metadata.deletionTimestamp !== undefined) {
      throw refuse(`pod ${key.name} is being deleted, cannot be assigned to a host`);
    }
    if (placed !== '') {
      throw refuse(`pod ${key.name} is already assigned to node "${placed}"`);
    }
    const now = context.clock.now();
    const bound = recordUpdate(resource, {
      before: pod,
      after: withFields(pod, {
        spec: { ...spec, nodeName },
        status: scheduled(objectField(pod, 'status'), now),
      }),
      manager: managerOf(request, options.fieldManager),
      subresource: 'binding',
      now,
    });
    try {
      if (!options.dryRun) {
        await writeObject(context, resource, { key, object: bound, expected: revision });
      }
      return jsonResponse(201, success);
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
      if (tries === updateTriesMax) throw modified(type, key.name);
    }
  }
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function scheduled(status: JsonObject, now: number): JsonObject {
  const known = Array.isArray(status.conditions) ? status.conditions : [];
  const updates = [{ type: 'PodScheduled', status: 'True' }] as const;
  return { ...status, conditions: mergeConditions(known, updates, toKubeTime(now)) };
}

async function readBinding({ request }: ResourceRequest): Promise<{
  readonly nodeName: string;
  readonly uid: string;
}> {
  const body = await decodeBody(request, 'json');
  if (!isDecoded(body)) throw badRequest(`error decoding a Binding: ${body.malformed}`);
  const binding = isJsonObject(body.value) ? body.value : {};
  const target = objectField(binding, 'target');
  const nodeName = textField(target, 'name');
  const kind = textField(target, 'kind') || 'Node';
  if (nodeName === '' || kind !== 'Node') {
    throw badRequest('a Binding must have a target of kind Node with a name');
  }
  return { nodeName, uid: textField(objectField(binding, 'metadata'), 'uid') };
}
