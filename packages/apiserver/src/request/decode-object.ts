import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  goTypeName,
  invalidError,
  type KubeObject,
  parseApiVersion,
  type StatusError,
} from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import { isBuiltinKind } from '../builtins/facts/builtin-facts.ts';
import { builtinTypes } from '../builtins/facts/builtin-schema.ts';
import { isKubeObject } from '../object/object-form.ts';
import type { Resource } from '../resource/resource.ts';
import type { ApiRequest } from './api-request.ts';
import {
  bodyFormat,
  bodyTypes,
  decodeBody,
  isDecoded,
  type MalformedBody,
  passAfterBody,
} from './body.ts';
import { metadataTypeError } from './go-decoding.ts';
import { type FieldValidation, fieldError } from './request-options.ts';

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
  const types = resource.strategy.custom ? customBodyTypes : bodyTypes;
  const format = bodyFormat(request, types);
  const body = await decodeBody(request, format);
  if (!isDecoded(body)) {
    const prefix = format === 'protobuf' ? '' : "couldn't get version/kind; json parse error: ";
    throw malformedObject(resource, { ...body, malformed: prefix + body.malformed });
  }
  const unrecognized = `the object provided is unrecognized (must be of type ${kind})`;
  // In Go null leaves a struct as it is.
  const value = body.value ?? {};
  if (!isJsonObject(value)) {
    throw badRequest(`${unrecognized}: ${noTypeMeta(value)} (${body.excerpt})`);
  }
  if (resource.strategy.custom && typeof value.kind !== 'string') {
    const text = `Object 'Kind' is missing in '${JSON.stringify(body.value)}'`;
    throw badRequest(`${unrecognized}: ${text} (${body.excerpt})`);
  }
  const { object, unknownFields } = admitValue(resource, value);
  await passAfterBody(request);
  const unknown = unknownFields.map((path) => `unknown field "${path}"`);
  // Go's decoder of JSON meets unknown fields of a builtin kind while it reads, and those that come
  // twice as well; those of a definition are found when all is read.
  const isReadAtOnce = format === 'json' && !resource.strategy.custom;
  const complaints = isReadAtOnce
    ? [...unknown, ...body.complaints]
    : [...body.complaints, ...unknown];
  if (fieldValidation === 'Ignore' || complaints.length === 0) return { object, warnings: [] };
  if (fieldValidation === 'Warn') return { object, warnings: complaints };
  const { version } = resource.strategy.type;
  const text = `strict decoding error: ${complaints.join(', ')}`;
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${text}`);
}

/** What Go says of a JSON value that is no object, where it looks for what kind of object it is. */
export function noTypeMeta(value: unknown): string {
  const fields =
    'APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
    'Kind string "json:\\"kind,omitempty\\""';
  const text = `json: cannot unmarshal ${goTypeName(value)} into Go value of type struct { ${fields} }`;
  return `couldn't get version/kind; json parse error: ${text}`;
}

// A custom resource has no protobuf form.
const customBodyTypes = { 'application/json': 'json', 'application/yaml': 'yaml' } as const;

function malformedObject(resource: Resource, body: MalformedBody): StatusError {
  const { kind } = resource.strategy.type;
  const { type, malformed, excerpt } = body;
  if (type !== undefined) {
    const { version } = parseApiVersion(type.apiVersion);
    const found = `${type.kind} in version ${JSON.stringify(version)}`;
    return badRequest(`${found} cannot be handled as a ${kind}: ${malformed}`);
  }
  const unrecognized = `the object provided is unrecognized (must be of type ${kind})`;
  return badRequest(`${unrecognized}: ${malformed} (${excerpt})`);
}

/**
 * A value as an object of `resource`: its kind and types checked, unknown fields taken out and
 * named, defaults not yet filled in.
 *
 * @throws StatusError `BadRequest`, `Invalid`
 */
export function admitValue(resource: Resource, value: Readonly<Record<string, unknown>>): Admitted {
  checkGroupVersionKind(resource, value);
  const { type, message } = resource.strategy;
  const named = { ...value, apiVersion: resource.apiVersion, kind: type.kind };
  return message === undefined ? admitCustom(resource, named) : admitBuiltin(resource, named);
}

interface Admitted {
  readonly object: KubeObject;
  readonly unknownFields: readonly string[];
}

// A builtin kind is read as its Go type, which settles everything at once.
function admitBuiltin(resource: Resource, named: JsonObject): Admitted {
  const { message = '' } = resource.strategy;
  const { value, unknownFields, problem } = builtinTypes.decode(message, named);
  if (problem !== undefined) throw badRequest(`${handled(resource)}: ${problem}`);
  const object: unknown = { ...value, metadata: value.metadata ?? {} };
  if (!isKubeObject(object)) throw badRequest(`${handled(resource)}: not an object`);
  return { object, unknownFields };
}

// Of a custom resource, metadata is read as its Go type, and the rest by its schema, which may say
// nullable: null means absent in Go, and can be a value here.
function admitCustom(resource: Resource, named: JsonObject): Admitted {
  const metadata = dropNulls(named.metadata ?? {});
  const object: unknown = { ...named, metadata };
  const wrong = isKubeObject(object) ? metadataTypeError(metadata) : 'metadata is not an object';
  if (wrong !== undefined) throw badRequest(`${handled(resource)}: ${wrong}`);
  const pruned = resource.schema.prune(object);
  if (!isKubeObject(pruned.value)) throw badRequest(`${handled(resource)}: not an object`);
  return { object: pruned.value, unknownFields: pruned.unknownFields };
}

function handled({ strategy: { type } }: Resource): string {
  return `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}`;
}

function checkGroupVersionKind(resource: Resource, value: Readonly<Record<string, unknown>>): void {
  const { custom, type } = resource.strategy;
  const { kind = type.kind, apiVersion = resource.apiVersion } = value;
  if (apiVersion === resource.apiVersion && kind === type.kind) return;
  const stated = { apiVersion: String(apiVersion), kind: String(kind) };
  if (!custom && !isBuiltinKind(stated)) {
    const { version } = parseApiVersion(stated.apiVersion);
    const found = `${stated.kind} in version ${JSON.stringify(version)}`;
    throw badRequest(`${found} cannot be handled as a ${type.kind}: ${notRegistered(stated)}`);
  }
  if (apiVersion !== resource.apiVersion) {
    const data = `the API version in the data (${String(apiVersion)})`;
    throw badRequest(`${data} does not match the expected API version (${resource.apiVersion})`);
  }
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

/** What Go says of a kind that it does not know. */
export function notRegistered(stated: {
  readonly apiVersion: string;
  readonly kind: string;
}): string {
  const known = `version ${JSON.stringify(stated.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  return `no kind ${JSON.stringify(stated.kind)} is registered for ${known}`;
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(kept.map(([key, item]) => [key, dropNulls(item)]));
}
