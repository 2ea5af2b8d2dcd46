import { isJsonObject, type JsonObject } from '@fnlet/base';
import { formatApiVersion, type KubeObject, type ResourceType } from '@fnlet/machinery';
import { ClientError } from './client-error.ts';

/** Whether `value` has what every Kubernetes object has: apiVersion, kind and a name. */
export function isKubeObject(value: unknown): value is KubeObject {
  return (
    isJsonObject(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isJsonObject(value.metadata) &&
    typeof value.metadata.name === 'string'
  );
}

// The guard at the border: the server has validated its objects against the schema of the type
// that the caller names, so only what the client itself relies on is checked again.
function isObjectOf<T extends KubeObject>(type: ResourceType, value: unknown): value is T {
  return isKubeObject(value) && value.kind === type.kind;
}

/**
 * The object in an answer.
 *
 * @throws ClientError `InvalidAnswer`
 */
export function parseObject<T extends KubeObject>(type: ResourceType, value: unknown): T {
  if (isObjectOf<T>(type, value)) return value;
  const found = isJsonObject(value) ? `kind ${JSON.stringify(value.kind)}` : typeof value;
  throw new ClientError(
    'InvalidAnswer',
    `Cannot read the answer for ${type.plural}: found ${found}, expected a named ${type.kind}`,
  );
}

/**
 * A list item or the object of a watch event. Lists of builtin kinds leave out apiVersion and kind,
 * and objects without anything but metadata have a kind of their own: both get the type's.
 */
export function parseItem<T extends KubeObject>(type: ResourceType, value: unknown): T {
  if (!isJsonObject(value)) return parseObject(type, value);
  const isNamed = value.apiVersion !== undefined && value.kind !== undefined;
  if (isNamed && value.kind !== 'PartialObjectMetadata') return parseObject(type, value);
  const named: JsonObject = { ...value, apiVersion: formatApiVersion(type), kind: type.kind };
  return parseObject(type, named);
}
