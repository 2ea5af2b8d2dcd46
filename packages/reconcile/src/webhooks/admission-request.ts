import { deepFreeze, isJsonObject, type JsonObject } from '@fnlet/base';
import type { AdmissionRequest, ObjectShape } from '@fnlet/sdk/operator';

const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;

/** Reads a request; `undefined` when it is none. `T` is what the webhook's rules let through. */
export function parseAdmissionRequest<T extends ObjectShape>(
  request: JsonObject,
): AdmissionRequest<T> | undefined {
  const operation = operations.find((one) => one === request.operation);
  const object = request.object ?? undefined;
  const oldObject = request.oldObject ?? undefined;
  if (operation === undefined || !isObjectOrNone<T>(object) || !isObjectOrNone<T>(oldObject)) {
    return undefined;
  }
  const resource = record(request.resource);
  const user = record(request.userInfo);
  return deepFreeze({
    uid: text(request.uid),
    operation,
    key: { namespace: text(request.namespace), name: text(request.name) },
    object,
    oldObject,
    resource: {
      group: text(resource.group),
      version: text(resource.version),
      resource: text(resource.resource),
    },
    subresource: text(request.subResource),
    user: { name: text(user.username), uid: text(user.uid), groups: texts(user.groups) },
    isDryRun: request.dryRun === true,
    options: record(request.options),
  });
}

function isObjectOrNone<T extends ObjectShape>(value: unknown): value is T | undefined {
  if (value === undefined) return true;
  if (!isJsonObject(value)) return false;
  return typeof value.apiVersion === 'string' && typeof value.kind === 'string';
}

function record(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
