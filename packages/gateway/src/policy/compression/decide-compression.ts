import { changeLines, type Field, fieldValues } from '../field-changes.ts';
import { type Coding, chooseCoding } from './accept-encoding.ts';

export interface CompressionSettings {
  /** Media types that are compressed, such as `application/json` and `text/*`. Default: text. */
  readonly types?: readonly string[];
  /** Smaller answers are not. Default: 1024. */
  readonly bytesMin?: number;
}

/** An answer as it would go to the client. */
export interface AnswerHead {
  readonly status: number;
  /** The lines of its fields, each with its CRLF. */
  readonly fields: string;
  /** Whether it has no body because the request was HEAD. Default: no. */
  readonly isBodiless?: boolean;
}

/** What is done with an answer. */
export type CompressionDecision =
  /** It stays as it is. */
  | { readonly kind: 'verbatim' }
  /** It stays, but the answer to another request may be compressed: caches have to know. */
  | { readonly kind: 'unwanted' }
  /** It has no body, and says what it would say if it had one (RFC 9110 §9.3.2). */
  | { readonly kind: 'describe'; readonly coding: Coding }
  | { readonly kind: 'compress'; readonly coding: Coding; readonly streaming: boolean };

const verbatim: CompressionDecision = { kind: 'verbatim' };
const unwanted: CompressionDecision = { kind: 'unwanted' };

/** Below that, what is saved is not worth the time: it fits into one packet anyway. */
const bytesMinDefault = 1024;

/** Decides what is done with an answer to a client that accepts these codings. */
export function decideCompression(
  { status, fields, isBodiless = false }: AnswerHead,
  settings: CompressionSettings,
  acceptEncoding: string | undefined,
): CompressionDecision {
  const all = (name: string): readonly string[] =>
    fieldValues({ kept: fields, known: noFields }, name);
  // 206 is a part of what somebody else may have put together already.
  if (status < 200 || status === 204 || status === 206) return verbatim;
  // It says nothing of what it stands for, which may have been compressed (RFC 9110 §15.4.5).
  if (status === 304) return unwanted;
  if (untouchable.some((name) => all(name).length > 0)) return verbatim;
  if (all('cache-control').some((value) => /\bno-transform\b/i.test(value))) return verbatim;
  const [type = ''] = all('content-type');
  if (!isCompressible(type, settings.types)) return verbatim;
  const [length] = all('content-length');
  const { bytesMin = bytesMinDefault } = settings;
  if (length !== undefined && Number(length) < bytesMin) return verbatim;
  const coding = chooseCoding(acceptEncoding);
  // With a body it might be too short.
  if (coding === undefined || (isBodiless && length === undefined)) return unwanted;
  if (isBodiless) return { kind: 'describe', coding };
  return { kind: 'compress', coding, streaming: length === undefined };
}

const noFields: ReadonlyMap<string, string> = new Map();

/** Fields that would no longer be true of an answer that is compressed, or say that it is. */
const untouchable: readonly string[] = [
  'content-encoding',
  'content-range',
  'content-digest',
  'content-md5',
  'digest',
  'repr-digest',
  'trailer',
];

const compressible =
  /^(?:text\/.*|.*\+(?:json|xml|text)|application\/(?:(?:x-)?javascript|ecmascript|json|jsonl|x-ndjson|ndjson|xml|graphql|wasm|rtf|toml|yaml|x-yaml|x-www-form-urlencoded|sql)|image\/(?:bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))$/;

function isCompressible(type: string, types: readonly string[] | undefined): boolean {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (types === undefined) return compressible.test(essence);
  return types.some((pattern) => {
    const wanted = pattern.toLowerCase();
    return wanted.endsWith('/*') ? essence.startsWith(wanted.slice(0, -1)) : essence === wanted;
  });
}

const replaced: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'etag',
  'accept-ranges',
]);

/**
 * The fields of an answer that is compressed. Its tag becomes weak: the bytes are others, and may
 * be others again the next time. Ranges of them cannot be asked for.
 */
export function compressedFields(fields: string, coding: Coding): string {
  return changed(fields, [['Content-Encoding', coding], chunkedField, varyField]);
}

/** The same where it has no body. */
export function describedFields(fields: string, coding: Coding): string {
  return changed(fields, [['Content-Encoding', coding], varyField]);
}

function changed(fields: string, add: readonly Field[]): string {
  const [tag] = fieldValues({ kept: fields, known: noFields }, 'etag');
  const tagField: readonly Field[] = tag === undefined ? [] : [['ETag', weakTag(tag)]];
  return changeLines(fields, { remove: replaced, add: [...add, ...tagField] });
}

/**
 * The fields of an answer that is not compressed, where others are. If it says that nothing has
 * changed to a client whose tag is weak, so is its own: a strong one would not be that of what the
 * client has (RFC 9111 §4.3.4).
 */
export function uncompressedFields(fields: string, ifNoneMatch: readonly string[]): string {
  const [tag] = fieldValues({ kept: fields, known: noFields }, 'etag');
  const isKnownAsWeak =
    tag !== undefined && !tag.startsWith('W/') && ifNoneMatch.join().includes(weakTag(tag));
  if (!isKnownAsWeak) return changeLines(fields, { remove: nothing, add: [varyField] });
  return changeLines(fields, { remove: onlyTag, add: [varyField, ['ETag', weakTag(tag)]] });
}

const nothing: ReadonlySet<string> = new Set();
const onlyTag: ReadonlySet<string> = new Set(['etag']);

function weakTag(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`;
}

const chunkedField: Field = ['Transfer-Encoding', 'chunked'];

/** Tells caches that the answer depends on what the client accepts. */
const varyField: Field = ['Vary', 'Accept-Encoding'];
