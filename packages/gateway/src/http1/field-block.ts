import type { Head } from './head-reader.ts';
import { COLON, HTAB, HYPHEN, SPACE, tokenOctets, UNDERSCORE } from './octets.ts';
import { Rejection } from './rejection.ts';

/** Fields that mean something to the Gateway; all others pass through as they are. */
const knownFields = [
  'accept',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'prefer',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'upgrade',
  'x-fnlet-auth',
  'x-fnlet-consumer',
  'x-fnlet-mirror',
  'x-fnlet-parameters',
  'x-fnlet-unloaded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
] as const;

type KnownField = (typeof knownFields)[number];

const knownByLength: readonly (readonly KnownField[])[] = Array.from({ length: 20 }, (_, length) =>
  knownFields.filter((name) => name.length === length),
);

const knownNames: ReadonlySet<string> = new Set(knownFields);

/** Whether a field of this name, in lower case, means something to the Gateway. */
export function isKnownField(name: string): boolean {
  return knownNames.has(name);
}

/** Known fields that pass through all the same. The others end here or are written anew. */
const passing: ReadonlySet<KnownField> = new Set<KnownField>([
  'accept',
  'expect',
  'host',
  'prefer',
]);

/** What several lines of one name become: the first is kept, they are joined, or it is refused. */
const single: ReadonlySet<KnownField> = new Set<KnownField>([
  'content-length',
  'host',
  'transfer-encoding',
]);

/** The fields of one message: those that pass through, and what the others said. */
export interface FieldBlock {
  /** The lines that pass through, byte for byte, each with its CRLF. */
  readonly kept: string;
  /** Values of the known fields that were there, joined with `, ` where there were several. */
  readonly known: ReadonlyMap<string, string>;
  /**
   * Of a request that was just read: further lines by which proxies say for whom they speak
   * (`Forwarded`, `X-Real-IP`, `X-Forwarded-…`), each with its CRLF. They are not among `kept`.
   */
  readonly claims?: string;
}

const noFields: ReadonlyMap<string, string> = new Map();

/**
 * Reads the fields of a head (RFC 9112 §5), strictly: no folding, no white space before the colon,
 * names are tokens. `text` is the whole head as latin1, so that offsets in both agree.
 *
 * @param request.authority who is asked, where the target says that: a Host that says something
 *   else does not pass (§3.2.2)
 */
export function readFieldBlock(
  head: Head,
  text: string,
  request?: { readonly authority: string | undefined },
): FieldBlock | Rejection {
  const authority = request?.authority;
  const { bytes, lineEnds, start } = head;
  let known: Map<string, string> | undefined;
  let kept = '';
  let claims = '';
  let keptFrom = (lineEnds[0] ?? start) - start;
  for (let line = 1; line < lineEnds.length; line++) {
    const from = lineEnds[line - 1] ?? 0;
    const to = (lineEnds[line] ?? 0) - 2;
    let colon = from;
    while (tokenOctets[bytes[colon] ?? 0] === 1) colon++;
    if (bytes[colon] !== COLON || colon === from) return badName(bytes[from], bytes[colon]);
    const name = knownField(bytes, from, colon);
    if (name === undefined) {
      if (request === undefined || !isClaim(bytes, from, colon)) continue;
      kept += text.slice(keptFrom, from - start);
      keptFrom = to + 2 - start;
      const line = text.slice(from - start, keptFrom);
      // By which way it came, no proxy spells it so; a client might, for those who read it as one.
      if (!text.slice(from - start, colon - start).includes('_')) claims += line;
      continue;
    }
    let past = to;
    while (past > colon + 1 && isBlank(bytes[past - 1])) past--;
    let first = colon + 1;
    while (first < past && isBlank(bytes[first])) first++;
    const value = text.slice(first - start, past - start);
    known ??= new Map();
    const before = known.get(name);
    if (before !== undefined && single.has(name)) {
      return new Rejection(400, `${name} is given more than once`);
    }
    known.set(name, before === undefined ? value : `${before}, ${value}`);
    const isOther = name === 'host' && authority !== undefined && value !== authority;
    if (isOther || !passing.has(name)) {
      kept += text.slice(keptFrom, from - start);
      keptFrom = to + 2 - start;
    }
  }
  kept += text.slice(keptFrom, (lineEnds.at(-1) ?? start) - start);
  const nominated = known?.get('connection');
  if (nominated !== undefined) kept = withoutNominated(kept, nominated);
  const fields = { kept, known: known ?? noFields };
  return claims === '' ? fields : { ...fields, claims };
}

// Optional white space (RFC 9110 §5.6.3). Not what trim() takes: that includes octet 0xA0, and a
// length that one reader sees and another does not is how requests are smuggled.
function isBlank(octet: number | undefined): boolean {
  return octet === SPACE || octet === HTAB;
}

function badName(first: number | undefined, found: number | undefined): Rejection {
  if (isBlank(first)) return new Rejection(400, 'a header line is folded');
  return isBlank(found)
    ? new Rejection(400, 'white space stands between a header name and its colon')
    : new Rejection(400, 'a header name holds a character that is not allowed');
}

function knownField(bytes: Buffer, from: number, to: number): KnownField | undefined {
  const candidates = knownByLength[to - from];
  if (candidates === undefined) return undefined;
  for (const name of candidates) if (equalsName(bytes, from, name)) return name;
  return undefined;
}

// Exact for tokens: in a token, setting bit 5 only folds upper case onto lower case or leaves the
// alphabet of the known names altogether. Where functions look for who calls them, `_` is `-`: WSGI
// does not tell them apart.
function equalsName(bytes: Buffer, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    const octet = bytes[from + i] ?? 0;
    if ((octet | 0x20) === name.charCodeAt(i)) continue;
    const isFolded = octet === UNDERSCORE && name.charCodeAt(i) === HYPHEN;
    if (!isFolded || !name.startsWith('x-fnlet-')) return false;
  }
  return true;
}

/** Whether a field that is not known is what a proxy says about a request, `_` read as `-`. */
function isClaim(bytes: Buffer, from: number, to: number): boolean {
  const first = (bytes[from] ?? 0) | 0x20;
  if (first === LOWER_F) return to - from === 9 && hasFoldedPrefix(bytes, from, 'forwarded');
  if (first !== LOWER_X) return false;
  if (to - from === 9) return hasFoldedPrefix(bytes, from, 'x-real-ip');
  return to - from > 12 && hasFoldedPrefix(bytes, from, 'x-forwarded-');
}

const LOWER_F = 0x66;
const LOWER_X = 0x78;

function hasFoldedPrefix(bytes: Buffer, from: number, prefix: string): boolean {
  for (let i = 0; i < prefix.length; i++) {
    const octet = bytes[from + i] ?? 0;
    const isFolded = octet === UNDERSCORE && prefix.charCodeAt(i) === HYPHEN;
    if (!isFolded && (octet | 0x20) !== prefix.charCodeAt(i)) return false;
  }
  return true;
}

const usualOptions: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'te']);

/** Takes out the fields that Connection names as meant for the next hop only (RFC 9110 §7.6.1). */
function withoutNominated(kept: string, connection: string): string {
  if (usualOptions.has(connection)) return kept;
  const names = connectionOptions(connection).filter((name) => !usualOptions.has(name));
  // Host says where the request goes; without it the next hop would have to guess.
  const dropped = new Set(names.filter((name) => name !== 'host'));
  if (dropped.size === 0) return kept;
  return kept
    .split('\r\n')
    .filter((line) => !dropped.has(line.slice(0, line.indexOf(':')).toLowerCase()))
    .join('\r\n');
}

/** The options of a Connection field, in lower case. */
export function connectionOptions(value: string): readonly string[] {
  if (value === 'close' || value === 'keep-alive') return [value];
  return value.toLowerCase().split(/[ \t]*,[ \t]*/);
}
