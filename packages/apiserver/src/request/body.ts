import { errorMessage, hasCode } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import { badRequest, unsupportedMediaType } from '../answer/status-texts.ts';
import { builtinFacts } from '../builtins/facts/builtin-facts.ts';
import { bodyBytesMax, bodyDepthMax, largeBodyBytes } from '../limits.ts';
import { nextTurn } from '../object/in-turns.ts';
import { openEnvelope, protobufType, readEnvelope } from '../protobuf/protobuf-body.ts';
import type { ApiRequest } from './api-request.ts';
import { scanJson } from './json-scan.ts';
import { ValueBudget } from './value-budget.ts';

/** A decoded body, and what strict decoding would not accept about its text. */
export interface DecodedBody {
  readonly value: unknown;
  /** Such as `duplicate field "spec.min"`. */
  readonly complaints: readonly string[];
  /** The beginning of the text, for messages about a body without a kind. */
  readonly excerpt: string;
}

/** The body is not what its content type says; `malformed` is in Go's words. */
export interface MalformedBody {
  readonly malformed: string;
  readonly excerpt: string;
  /** What the body says that it is, where that could be read. */
  readonly type?: { readonly apiVersion: string; readonly kind: string };
}

/** How a body is encoded. */
export type BodyFormat = 'json' | 'yaml' | 'protobuf';

/** The media types of bodies. */
export const bodyTypes: Readonly<Record<string, BodyFormat>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  [protobufType]: 'protobuf',
};

/**
 * The format that the content type names. A refusal names all types, as upstream does, also those
 * that are only for other kinds.
 *
 * @throws StatusError `UnsupportedMediaType`
 */
export function bodyFormat(
  request: ApiRequest,
  types: Readonly<Record<string, BodyFormat>> = bodyTypes,
): BodyFormat {
  const format = types[bodyMediaType(request)];
  if (format === undefined) throw unsupportedMediaType(Object.keys(bodyTypes));
  return format;
}

/** The media type of the body without parameters; JSON when the request does not say. */
export function bodyMediaType(request: ApiRequest): string {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  return type.trim() === '' ? 'application/json' : type.trim().toLowerCase();
}

/**
 * Decodes a body. YAML is read as version 1.1 without timestamps, as Go's sigs.k8s.io/yaml does;
 * protobuf gives the JSON form of the builtin type that the body names.
 *
 * @throws StatusError `RequestEntityTooLarge` (too many bytes or values), `BadRequest` (nested too
 *   deep), `TooManyRequests` (large bodies in YAML)
 */
export async function decodeBody(
  request: ApiRequest,
  format: BodyFormat,
): Promise<DecodedBody | MalformedBody> {
  const { body } = request;
  if (body?.kind === 'value') {
    return { value: copyJson(body.value, 0), complaints: [], excerpt: '' };
  }
  if ((body?.bytes.byteLength ?? 0) > bodyBytesMax) {
    const text = `Request entity too large: limit is ${bodyBytesMax}`;
    throw statusError('RequestEntityTooLarge', text);
  }
  const decoded = await decodeBytes(body?.bytes ?? new Uint8Array(), format);
  await passAfterBody(request);
  return decoded;
}

/** Whoever waits for the thread gets it after a long step of reading a large body. */
export async function passAfterBody({ body }: Pick<ApiRequest, 'body'>): Promise<void> {
  if (body?.kind === 'bytes' && body.bytes.byteLength > largeBodyBytes) await nextTurn();
}

async function decodeBytes(
  bytes: Uint8Array,
  format: BodyFormat,
): Promise<DecodedBody | MalformedBody> {
  if (format === 'protobuf') return decodeProtobuf(bytes);
  const text = utf8.decode(bytes);
  if (format === 'json') return decodeJson(text, excerptOf(bytes));
  // YAML that looks like JSON mostly is (kubectl apply --server-side), and is read far faster so.
  const excerpt = excerptOf(bytes);
  const asJson = text.startsWith('{') ? decodeJson(text, excerpt) : undefined;
  return asJson !== undefined && isDecoded(asJson) ? asJson : decodeYaml(text, excerpt);
}

// Made once: it keeps nothing of a text that it was given whole.
const utf8 = new TextDecoder();

function decodeProtobuf(bytes: Uint8Array): DecodedBody | MalformedBody {
  const excerpt = excerptOf(bytes);
  let type: MalformedBody['type'];
  try {
    const envelope = openEnvelope(bytes);
    if (envelope.kind !== '') type = { apiVersion: envelope.apiVersion, kind: envelope.kind };
    return { value: readEnvelope(builtinFacts, envelope), complaints: [], excerpt };
  } catch (error) {
    if (!hasCode(error, 'MalformedProtobuf')) throw error;
    const malformed = error.message;
    return { malformed, excerpt, ...(type === undefined ? {} : { type }) };
  }
}

function decodeJson(text: string, excerpt: string): DecodedBody | MalformedBody {
  // Before it is parsed: what has more values, or nests deeper, is not made.
  const { duplicates } = scanJson(text, new ValueBudget());
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { malformed: goJsonError(text, errorMessage(error)), excerpt };
  }
  return { value, complaints: duplicates.map((path) => `duplicate field "${path}"`), excerpt };
}

async function decodeYaml(text: string, excerpt: string): Promise<DecodedBody | MalformedBody> {
  const { readYaml } = await import('./yaml.ts');
  const reading = await readYaml(text);
  if (reading.kind === 'malformed') {
    return { malformed: `error converting YAML to JSON: ${reading.error}`, excerpt };
  }
  const lines = reading.duplicates.map(
    ({ line, key }) => `\n  line ${line}: key "${key}" already set in map`,
  );
  const complaints = lines.length === 0 ? [] : [`yaml: unmarshal errors:${lines.join('')}`];
  return { ...decodeJson(reading.text, excerpt), complaints };
}

/** Whether decoding gave a value. */
export function isDecoded(body: DecodedBody | MalformedBody): body is DecodedBody {
  return !('malformed' in body);
}

/** How much of a body a message shows (apiserver, summarizeData). */
const excerptMax = 30;

function excerptOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const first = Buffer.from(bytes.subarray(0, excerptMax));
  const shown = bytes[0] === openingBrace ? first.toString() : first.toString('hex');
  return bytes.length <= excerptMax ? shown : `${shown} ...`;
}

const openingBrace = 0x7b;

// encoding/json's words for the two mistakes that people make.
function goJsonError(text: string, message: string): string {
  if (/end of JSON|Unterminated/.test(message)) return 'unexpected end of JSON input';
  const position = /position (\d+)/.exec(message)?.[1];
  const found = position === undefined ? text.trim()[0] : text[Number(position)];
  if (found === undefined) return 'unexpected end of JSON input';
  if (/after JSON/.test(message)) return `invalid character '${found}' after top-level value`;
  return `invalid character '${found}' looking for beginning of value`;
}

/**
 * A copy of a JSON value that shares nothing with it and has no undefined fields: callers in this
 * process keep their objects, and what is stored never changes behind the store's back.
 */
function copyJson(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > bodyDepthMax) throw badRequest('exceeded max depth');
  if (Array.isArray(value)) {
    return value.map((item: unknown) => copyJson(item === undefined ? null : item, depth + 1));
  }
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const copied = copyJson(item, depth + 1);
    if (key !== '__proto__') copy[key] = copied;
    else Object.defineProperty(copy, key, { value: copied, enumerable: true });
  }
  return copy;
}
