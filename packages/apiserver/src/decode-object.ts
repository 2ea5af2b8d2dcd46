import { isJsonObject } from '@fnlet/base';
import { invalidError, type KubeObject } from '@fnlet/machinery';
import type { ApiRequest } from './api-request.ts';
import { bodyMediaType, decodeBody, isDecoded } from './body.ts';
import { metadataTypeError, schemaTypeError } from './go-decoding.ts';
import { isKubeObject } from './object-form.ts';
import { type FieldValidation, fieldError } from './request-options.ts';
import type { Resource } from './resource.ts';
import { badRequest, protobufBody, unsupportedMediaType } from './status-texts.ts';

/** A body that is an object of the kind, pruned; `warnings` are for the client. */
export interface DecodedObject {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

/**
 * Reads the body of a create or update as an object of `resource`.
 *
 * @throws StatusError `BadRequest`, `Invalid`, `UnsupportedMediaType`, `RequestEntityTooLarge`
 */
export async function decodeObject(
  resource: Resource,
  request: ApiRequest,
  fieldValidation: FieldValidation,
): Promise<DecodedObject> {
  const { kind } = resource.strategy.type;
  const body = await decodeBody(request, bodyFormat(request));
  const unrecognized = `the object provided is unrecognized (must be of type ${kind})`;
  if (!isDecoded(body)) {
    const text = `couldn't get version/kind; json parse error: ${body.malformed}`;
    throw badRequest(`${unrecognized}: ${text} (${body.excerpt})`);
  }
  if (!isJsonObject(body.value)) {
    throw badRequest(`${unrecognized}: expected an object (${body.excerpt})`);
  }
  if (resource.strategy.custom && typeof body.value.kind !== 'string') {
    const text = `Object 'Kind' is missing in '${JSON.stringify(body.value)}'`;
    throw badRequest(`${unrecognized}: ${text} (${body.excerpt})`);
  }
  const { object, unknownFields } = admitValue(resource, body.value);
  const complaints = [
    ...body.complaints,
    ...unknownFields.map((path) => `unknown field "${path}"`),
  ];
  if (fieldValidation === 'Ignore' || complaints.length === 0) return { object, warnings: [] };
  if (fieldValidation === 'Warn') return { object, warnings: complaints };
  const { version } = resource.strategy.type;
  const text = `strict decoding error: ${complaints.join(', ')}`;
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${text}`);
}

function bodyFormat(request: ApiRequest): 'json' | 'yaml' {
  const type = bodyMediaType(request);
  if (type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  const accepted = ['application/json', 'application/yaml'];
  const isProtobuf = type === 'application/vnd.kubernetes.protobuf';
  throw isProtobuf ? protobufBody(accepted) : unsupportedMediaType(accepted);
}

/**
 * A value as an object of `resource`: its kind and types checked, unknown fields taken out and
 * named, defaults not yet filled in.
 *
 * @throws StatusError `BadRequest`, `Invalid`
 */
export function admitValue(
  resource: Resource,
  value: Readonly<Record<string, unknown>>,
): { readonly object: KubeObject; readonly unknownFields: readonly string[] } {
  checkGroupVersionKind(resource, value);
  const { custom, type } = resource.strategy;
  const handled = `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}`;
  const named = { ...value, apiVersion: resource.apiVersion, kind: type.kind };
  // Go has no null for most types: in a builtin kind null means absent. Custom resources keep it
  // where their schema says nullable.
  const whole = custom ? named : dropNulls(named);
  const metadata = isJsonObject(whole) ? whole.metadata : undefined;
  const object: unknown = { ...named, ...asFields(whole), metadata: dropNulls(metadata ?? {}) };
  const wrong = isKubeObject(object)
    ? metadataTypeError(object.metadata)
    : 'metadata is not an object';
  if (!isKubeObject(object) || wrong !== undefined) throw badRequest(`${handled}: ${wrong}`);
  if (!custom) {
    const mistyped = schemaTypeError(resource, object);
    if (mistyped !== undefined) throw badRequest(`${handled}: ${mistyped}`);
  }
  const pruned = resource.schema.prune(object);
  if (!isKubeObject(pruned.value)) throw badRequest(`${handled}: not an object`);
  return { object: pruned.value, unknownFields: pruned.unknownFields };
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function checkGroupVersionKind(resource: Resource, value: Readonly<Record<string, unknown>>): void {
  const { custom, type } = resource.strategy;
  const { kind = type.kind, apiVersion = resource.apiVersion } = value;
  if (apiVersion !== resource.apiVersion) {
    const data = `the API version in the data (${String(apiVersion)})`;
    throw badRequest(`${data} does not match the expected API version (${resource.apiVersion})`);
  }
  if (kind === type.kind) return;
  if (!custom) {
    const found = `${String(kind)} in version "${type.version}"`;
    const conversion = `converting (${type.version}.${String(kind)}) to (core.${type.kind})`;
    throw badRequest(
      `${found} cannot be handled as a ${type.kind}: ${conversion}: unknown conversion`,
    );
  }
  const name = isJsonObject(value.metadata) ? String(value.metadata.name ?? '') : '';
  const text = `Invalid value: ${JSON.stringify(kind)}: must be ${type.kind}`;
  const error = fieldError('FieldValueInvalid', 'kind', text);
  throw invalidError({ group: type.group, kind: String(kind) }, name, [error]);
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.map(([key, item]) => [key, dropNulls(item)]));
}
