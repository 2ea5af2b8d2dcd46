import { isJsonObject, jsonEqual } from '@fnlet/base';
import { type KubeObject, toKubeTime, trackUpdate } from '@fnlet/machinery';
import { fieldManagerBytesMax } from '../limits.ts';
import { isKubeObject } from '../object/object-form.ts';
import type { Resource } from '../resource/resource.ts';
import type { ApiRequest } from './api-request.ts';

/** Who owns what a request writes: its fieldManager, else the program's name (KEP-555). */
export function managerOf(request: ApiRequest, fieldManager: string): string {
  if (fieldManager !== '') return fieldManager;
  const [program = ''] = (request.headers['user-agent'] ?? '').split('/');
  const printable = program.replace(/\p{C}/gu, '').slice(0, fieldManagerBytesMax);
  return printable === '' ? 'unknown' : printable;
}

/** Records in managedFields that `manager` made `before` into `after`. */
export function recordUpdate(
  resource: Resource,
  write: {
    before: KubeObject | undefined;
    after: KubeObject;
    manager: string;
    subresource?: string | undefined;
    now: number;
  },
): KubeObject {
  const { before, after, manager, subresource, now } = write;
  return trackUpdate({
    before,
    after,
    manager,
    type: resource.schema.fieldType,
    zero: resource.zero,
    subresource,
    now: toKubeTime(now),
  });
}

/**
 * Whether two states of an object are the same but for the times in managedFields: such a write
 * does not happen, so that it moves no resourceVersion (apiserver, fieldmanager/equality.go).
 */
export function isSameObject(a: KubeObject, b: KubeObject): boolean {
  return jsonEqual(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(object: KubeObject): unknown {
  const entries: unknown = object.metadata.managedFields;
  const managedFields = Array.isArray(entries)
    ? entries.map((entry) => (isJsonObject(entry) ? { ...entry, time: undefined } : entry))
    : undefined;
  const bare: unknown = {
    ...object,
    metadata: { ...object.metadata, managedFields, resourceVersion: undefined },
  };
  return isKubeObject(bare) ? bare : object;
}
