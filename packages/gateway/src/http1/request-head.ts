import { connectionOptions, type FieldBlock, readFieldBlock } from './field-block.ts';
import type { Head } from './head-reader.ts';
import { type MessageFraming, readMessageFraming } from './message-framing.ts';
import { targetOctets, tokenOctets } from './octets.ts';
import { Rejection } from './rejection.ts';

/** A request up to its body. */
export interface RequestHead {
  readonly method: string;
  /** In origin form: path and query, byte for byte (as latin1). */
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** Host and port as the client wrote them; empty when an HTTP/1.0 client gave none. */
  readonly host: string;
  readonly fields: FieldBlock;
  readonly framing: MessageFraming;
  /** Whether the client wants to send another request on this connection. */
  readonly keepAlive: boolean;
  /** The protocol that the client wants to change to, such as `websocket`. */
  readonly upgrade: string | undefined;
  /** Whether the client waits for 100 before it sends the body. */
  readonly expectsContinue: boolean;
}

interface StartLine {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** Set when the target was in absolute form: it then replaces Host (RFC 9112 §3.2.2). */
  readonly authority: string | undefined;
}

/** Parses a complete request head; the {@link Rejection} holds the status to answer with. */
export function parseRequestHead(head: Head, targetBytesMax: number): RequestHead | Rejection {
  const text = head.bytes.toString('latin1', head.start, head.lineEnds.at(-1));
  const line = parseStartLine(head, text, targetBytesMax);
  if (line instanceof Rejection) return line;
  const fields = readFieldBlock(head, text, line);
  if (fields instanceof Rejection) return fields;
  const framing = readMessageFraming(fields, line.version);
  if (framing instanceof Rejection) return framing;
  const host = readHost(fields, line);
  if (host instanceof Rejection) return host;
  const expect = fields.known.get('expect');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new Rejection(417, 'Expect is not "100-continue"');
  }
  const connection = fields.known.get('connection');
  const options = connection === undefined ? [] : connectionOptions(connection);
  return {
    method: line.method,
    target: line.target,
    version: line.version,
    host,
    fields,
    framing,
    keepAlive: line.version === '1.1' ? !options.includes('close') : options.includes('keep-alive'),
    upgrade: options.includes('upgrade') ? readUpgrade(fields, line.version, framing) : undefined,
    expectsContinue: expect !== undefined && line.version === '1.1',
  };
}

function parseStartLine(head: Head, text: string, targetBytesMax: number): StartLine | Rejection {
  const { bytes, start } = head;
  const lineEnd = (head.lineEnds[0] ?? start) - 2 - start;
  let i = start;
  while (tokenOctets[bytes[i] ?? 0] === 1) i++;
  const method = text.slice(0, i - start);
  const targetStart = i + 1;
  if (method === '' || text[i - start] !== ' ') return new Rejection(400, 'the method is broken');
  i = targetStart;
  while (targetOctets[bytes[i] ?? 0] === 1) i++;
  const target = text.slice(targetStart - start, i - start);
  const version = text.slice(i - start, lineEnd);
  if (version !== ' HTTP/1.1' && version !== ' HTTP/1.0') {
    const isPreface = `${method} ${target}${version}` === 'PRI * HTTP/2.0';
    return isPreface && head.lineEnds.length === 1 ? http2Preface : badVersion(version);
  }
  if (target.length > targetBytesMax) return new Rejection(414, 'the request target is too long');
  if (method === 'CONNECT') return new Rejection(405, 'CONNECT is for proxies');
  if (!knownMethods.has(method)) return new Rejection(501, `the method "${method}" is unknown`);
  return normalise(method, target, version === ' HTTP/1.1' ? '1.1' : '1.0');
}

// RFC 9110 §9.1. A Runner's parser takes no other, and would say so without a word.
// Not by import: that would load an HTTP client, too (decision 015).
const { METHODS } = process.getBuiltinModule('node:http');
const knownMethods: ReadonlySet<string> = new Set(METHODS);

/** How HTTP/2 begins, made so that HTTP/1.1 refuses it (RFC 9113 §3.4). */
export const http2Preface: Rejection = new Rejection(505, 'HTTP/2 is not spoken here');

function badVersion(version: string): Rejection {
  return /^ HTTP\/\d\.\d$/.test(version)
    ? new Rejection(505, 'only HTTP/1.1 and HTTP/1.0 are spoken here')
    : new Rejection(400, 'the request line is broken');
}

function normalise(method: string, target: string, version: '1.0' | '1.1'): StartLine | Rejection {
  if (target.startsWith('/')) return { method, target, version, authority: undefined };
  const absolute = /^https?:\/\/([^/?]+)(.*)$/i.exec(target);
  const [, authority = '', rest = ''] = absolute ?? [];
  if (absolute === null) return new Rejection(400, 'the request target is not a path');
  return { method, target: rest.startsWith('/') ? rest : `/${rest}`, version, authority };
}

// Reg-name, IPv4 or bracketed IPv6, with a port; user information is not for Host.
const hostPattern = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-fA-F:.]+\])(?::(\d{0,5}))?$/;

function readHost(fields: FieldBlock, line: StartLine): string | Rejection {
  const given = fields.known.get('host');
  if (given === undefined && line.version === '1.1') return new Rejection(400, 'Host is missing');
  const host = line.authority ?? given ?? '';
  if (given !== undefined && !isHost(given)) return new Rejection(400, 'Host is broken');
  return isHost(host) ? host : new Rejection(400, 'the request target is broken');
}

// No URL has a port beyond: functions could not be told theirs.
function isHost(text: string): boolean {
  const parts = hostPattern.exec(text);
  return parts !== null && Number(parts[1] ?? 0) <= 65_535;
}

/**
 * The protocol to change to. Not with a body in the way, and not to HTTP/2: h2c by upgrade is gone
 * (RFC 9113 §3.1), and such a request is a plain one to whoever does not know it.
 */
function readUpgrade(
  fields: FieldBlock,
  version: '1.0' | '1.1',
  framing: MessageFraming,
): string | undefined {
  const upgrade = fields.known.get('upgrade');
  if (version === '1.0' || framing.chunked || framing.contentLength > 0) return undefined;
  return upgrade === undefined || upgrade === '' || /\bh2c\b/i.test(upgrade) ? undefined : upgrade;
}
