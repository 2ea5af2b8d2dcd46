import { errorMessage } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import type { ApiRequest } from './api-request.ts';
import { scanJson } from './json-scan.ts';
import { bodyBytesMax, bodyDepthMax } from './limits.ts';
import { badRequest } from './status-texts.ts';

/** A decoded body, and what strict decoding would not accept about its text. */
export interface DecodedBody {
  readonly value: unknown;
  /** Such as `duplicate field "spec.min"`. */
  readonly complaints: readonly string[];
  /** The beginning of the text, for messages about a body without a kind. */
  readonly excerpt: string;
}

/** The body is not what its content type says; `text` is in Go's words. */
export interface MalformedBody {
  readonly malformed: string;
  readonly excerpt: string;
}

/** The media type of the body without parameters; JSON when the request does not say. */
export function bodyMediaType(request: ApiRequest): string {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  return type.trim() === '' ? 'application/json' : type.trim().toLowerCase();
}

/**
 * Decodes a JSON or YAML body. YAML is read as version 1.1 without timestamps, as Go's
 * sigs.k8s.io/yaml does.
 *
 * @throws StatusError `RequestEntityTooLarge`, `BadRequest` (nested too deep)
 */
export async function decodeBody(
  request: ApiRequest,
  format: 'json' | 'yaml',
): Promise<DecodedBody | MalformedBody> {
  const { body } = request;
  if (body?.kind === 'value') {
    return { value: copyJson(body.value, 0), complaints: [], excerpt: '' };
  }
  if ((body?.bytes.byteLength ?? 0) > bodyBytesMax) {
    const text = `Request entity too large: limit is ${bodyBytesMax}`;
    throw statusError('RequestEntityTooLarge', text);
  }
  const text = body === undefined ? '' : new TextDecoder().decode(body.bytes);
  if (format === 'json') return decodeJson(text);
  // YAML that looks like JSON mostly is (kubectl apply --server-side), and is read far faster so.
  const asJson = text.startsWith('{') ? decodeJson(text) : undefined;
  return asJson !== undefined && isDecoded(asJson) ? asJson : await decodeYaml(text);
}

function decodeJson(text: string): DecodedBody | MalformedBody {
  const excerpt = excerptOf(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { malformed: goJsonError(text, errorMessage(error)), excerpt };
  }
  const { duplicates, depth } = scanJson(text);
  if (depth > bodyDepthMax) throw badRequest('exceeded max depth');
  return { value, complaints: duplicates.map((path) => `duplicate field "${path}"`), excerpt };
}

async function decodeYaml(text: string): Promise<DecodedBody | MalformedBody> {
  const excerpt = excerptOf(text);
  const { parseYaml } = await import('./yaml.ts');
  const { value, duplicates, error } = parseYaml(text);
  if (error !== undefined) return { malformed: `error converting YAML to JSON: ${error}`, excerpt };
  const lines = duplicates.map(
    ({ line, key }) => `\n  line ${line}: key "${key}" already set in map`,
  );
  const complaints = lines.length === 0 ? [] : [`yaml: unmarshal errors:${lines.join('')}`];
  return { value: copyJson(value, 0), complaints, excerpt };
}

/** Whether decoding gave a value. */
export function isDecoded(body: DecodedBody | MalformedBody): body is DecodedBody {
  return !('malformed' in body);
}

function excerptOf(text: string): string {
  if (text === '') return '<empty>';
  return text.length <= 30 ? text : `${text.slice(0, 30)} ...`;
}

// encoding/json's words for the two mistakes that people make.
function goJsonError(text: string, message: string): string {
  if (/end of JSON|Unterminated/.test(message)) return 'unexpected end of JSON input';
  const position = /position (\d+)/.exec(message)?.[1];
  const found = position === undefined ? text.trim()[0] : text[Number(position)];
  if (found === undefined) return 'unexpected end of JSON input';
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
