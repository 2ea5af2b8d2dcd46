import { isJsonObject } from '@fnlet/base';
import { goTypeName } from '@fnlet/machinery';

// A Go server refuses a wrong type while it decodes, before any validation, and with its decoder's
// words. The metadata of every kind is decoded that way.

type Check = (value: unknown) => string | undefined;

/** The Go type that was expected, or nothing when the value fits. */
const isText: Check = (value) => (typeof value === 'string' ? undefined : 'string');
const isNumber: Check = (value) => (typeof value === 'number' ? undefined : 'int64');

const metadataChecks: Readonly<Record<string, Check>> = {
  name: isText,
  generateName: isText,
  namespace: isText,
  selfLink: isText,
  uid: isText,
  resourceVersion: isText,
  creationTimestamp: isText,
  deletionTimestamp: isText,
  generation: isNumber,
  deletionGracePeriodSeconds: isNumber,
};

const textMaps: readonly string[] = ['labels', 'annotations'];

/** The decoder's complaint about metadata, if it has one. */
export function metadataTypeError(metadata: unknown): string | undefined {
  if (!isJsonObject(metadata)) return unmarshalError(metadata, 'metadata', 'v1.ObjectMeta');
  for (const [field, value] of Object.entries(metadata)) {
    const expected = metadataChecks[field]?.(value);
    if (expected !== undefined) return unmarshalError(value, `ObjectMeta.${field}`, expected);
    if (textMaps.includes(field)) {
      if (!isJsonObject(value)) {
        return unmarshalError(value, `ObjectMeta.${field}`, 'map[string]string');
      }
      const wrong = Object.values(value).find((item) => typeof item !== 'string');
      if (wrong !== undefined) return unmarshalError(wrong, `ObjectMeta.${field}`, 'string');
    }
    const listed = listError(field, value);
    if (listed !== undefined) return listed;
  }
  return undefined;
}

function listError(field: string, value: unknown): string | undefined {
  if (field === 'finalizers') {
    if (!Array.isArray(value)) return unmarshalError(value, 'ObjectMeta.finalizers', '[]string');
    const wrong: unknown = value.find((item) => typeof item !== 'string');
    return wrong === undefined
      ? undefined
      : unmarshalError(wrong, 'ObjectMeta.finalizers', 'string');
  }
  if (field !== 'ownerReferences' && field !== 'managedFields') return undefined;
  const type = field === 'ownerReferences' ? 'v1.OwnerReference' : 'v1.ManagedFieldsEntry';
  if (!Array.isArray(value)) return unmarshalError(value, `ObjectMeta.${field}`, `[]${type}`);
  const wrong: unknown = value.find((item) => !isJsonObject(item));
  return wrong === undefined ? undefined : unmarshalError(wrong, `ObjectMeta.${field}`, type);
}

function unmarshalError(value: unknown, field: string, expected: string): string {
  return unmarshalText(goTypeName(value), field, expected);
}

function unmarshalText(found: string, field: string, expected: string): string {
  return `json: cannot unmarshal ${found} into Go struct field ${field} of type ${expected}`;
}
