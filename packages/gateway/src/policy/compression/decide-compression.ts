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
}

/** What is done with an answer. */
export type CompressionDecision =
  /** It stays as it is. */
  | { readonly kind: 'verbatim' }
  /** It stays, but another client could get it compressed: caches have to know. */
  | { readonly kind: 'unwanted' }
  | { readonly kind: 'compress'; readonly coding: Coding; readonly streaming: boolean };

const verbatim: CompressionDecision = { kind: 'verbatim' };

/** Below that, what is saved is not worth the time: it fits into one packet anyway. */
const bytesMinDefault = 1024;

/** Decides what is done with an answer to a client that accepts these codings. */
export function decideCompression(
  { status, fields }: AnswerHead,
  settings: CompressionSettings,
  acceptEncoding: string | undefined,
): CompressionDecision {
  const all = (name: string): readonly string[] =>
    fieldValues({ kept: fields, known: noFields }, name);
  // 206 is a part of what somebody else may have put together already.
  if (status < 200 || status === 204 || status === 206 || status === 304) return verbatim;
  if (untouchable.some((name) => all(name).length > 0)) return verbatim;
  if (all('cache-control').some((value) => /\bno-transform\b/i.test(value))) return verbatim;
  const [type = ''] = all('content-type');
  if (!isCompressible(type, settings.types)) return verbatim;
  const [length] = all('content-length');
  const { bytesMin = bytesMinDefault } = settings;
  if (length !== undefined && Number(length) < bytesMin) return verbatim;
  const coding = chooseCoding(acceptEncoding);
  if (coding === undefined) return { kind: 'unwanted' };
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
  const [tag] = fieldValues({ kept: fields, known: noFields }, 'etag');
  const add: Field[] = [['Content-Encoding', coding], ['Transfer-Encoding', 'chunked'], varyField];
  if (tag !== undefined) add.push(['ETag', tag.startsWith('W/') ? tag : `W/${tag}`]);
  return changeLines(fields, { remove: replaced, add });
}

/** Tells caches that the answer depends on what the client accepts. */
export const varyField: Field = ['Vary', 'Accept-Encoding'];
