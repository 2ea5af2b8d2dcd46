import { deepFreeze, isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';

/** Who sent the request (authentication.k8s.io, UserInfo). */
export interface RequestUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/** What is to be admitted (admission.k8s.io/v1, AdmissionRequest); frozen. */
export interface AdmissionRequest<T extends KubeObject> {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The name is empty for an object whose name is to be generated. */
  readonly key: ObjectKey;
  /** The object as it shall be; none for DELETE. */
  readonly object: T | undefined;
  /** The object as it is; none for CREATE. */
  readonly oldObject: T | undefined;
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
  };
  /** `status`, `scale`, …; empty for the object itself. */
  readonly subresource: string;
  readonly user: RequestUser;
  /** Nothing will be stored: do nothing that outlasts the call. */
  readonly isDryRun: boolean;
  readonly options: JsonObject;
}

const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;

/** Reads a request; `undefined` when it is none. `T` is what the webhook's rules let through. */
export function parseAdmissionRequest<T extends KubeObject>(
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

function isObjectOrNone<T extends KubeObject>(value: unknown): value is T | undefined {
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
