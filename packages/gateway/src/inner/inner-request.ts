import type { HeaderField, Invocation } from '@fnlet/invocation';
import { isKnownField } from '../http1/field-block.ts';
import { HeadReader } from '../http1/head-reader.ts';
import { Rejection } from '../http1/rejection.ts';
import { parseRequestHead, type RequestHead } from '../http1/request-head.ts';
import type { GatewayLimits } from '../limits.ts';
import { type Field, withFieldChanges } from '../policy/field-changes.ts';
import { withClaims } from '../policy/proxy-claims.ts';
import { formatHeaderFields, isField } from './header-fields.ts';

// The Gateway says these itself; 100-continue makes no sense where the body is there already.
const ownFields: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'expect']);

/** The head of a call that comes from this process, by the rules that hold for every other. */
export function innerRequestHead(call: Invocation, limits: GatewayLimits): RequestHead | Rejection {
  return plainHead(call, limits) ?? parsedHead(call, limits);
}

/**
 * The head of a call whose fields mean nothing to the Gateway, or nothing but that they pass, as
 * those of events: what the parser would make of it, without octets and a parser. `undefined` for
 * all others.
 */
export function plainHead(
  { namespace, function: name, method, target, headers, body }: Invocation,
  { headBytesMax, fieldsMax }: GatewayLimits,
): RequestHead | undefined {
  if (target !== '/' || (method !== 'POST' && method !== 'GET')) return undefined;
  const host = `${name}.${namespace}`;
  // Two fields are ours.
  if (!plainHost.test(host) || headers.length + 2 > fieldsMax) return undefined;
  const known = new Map<string, string>();
  known.set('host', host);
  let kept = `Host: ${host}\r\n`;
  for (const field of headers) {
    const name = field[0];
    const value = field[1];
    if (!isField(name, value)) return undefined;
    const folded = name.toLowerCase();
    if (ownFields.has(folded)) continue;
    // Whoever reads `_` as `-` might know it.
    if (folded.includes('_')) return undefined;
    if (isKnownField(folded)) {
      if ((folded !== 'prefer' && folded !== 'accept') || known.has(folded)) return undefined;
      if (!plainValue.test(value)) return undefined;
      known.set(folded, value);
    }
    kept += `${name}: ${value}\r\n`;
  }
  if (kept.length > headBytesMax / 2) return undefined;
  if (body.length > 0) known.set('content-length', String(body.length));
  return {
    method,
    target,
    version: '1.1',
    host,
    fields: { kept, known },
    framing: { chunked: false, contentLength: body.length === 0 ? -1 : body.length },
    keepAlive: true,
    upgrade: undefined,
    expectsContinue: false,
  };
}

/** The head of any call. */
export function parsedHead(
  { namespace, function: name, method, target, headers, body }: Invocation,
  { headBytesMax, fieldsMax, targetBytesMax }: GatewayLimits,
): RequestHead | Rejection {
  const given: HeaderField[] = [];
  let hasHost = false;
  for (const field of headers) {
    const folded = field[0].toLowerCase();
    hasHost ||= folded === 'host';
    if (!ownFields.has(folded)) given.push(field);
  }
  const fields = formatHeaderFields(given);
  if (fields === undefined) return new Rejection(400, 'a header field holds what none may');
  if (!isTarget.test(target)) return new Rejection(400, 'the request target is not a path');
  if (!isToken.test(method)) return new Rejection(400, 'the method is broken');
  const host = hasHost ? '' : `Host: ${name}.${namespace}\r\n`;
  const length = body.length === 0 ? '' : `Content-Length: ${body.length}\r\n`;
  const bytes = Buffer.from(
    `${method} ${target} HTTP/1.1\r\n${host}${fields}${length}\r\n`,
    'latin1',
  );
  const startLineBytesMax = targetBytesMax + 64;
  const reader = new HeadReader({
    // Forwarding fields of the first caller's Gateway come on top of what it could send.
    headBytesMax: 2 * headBytesMax,
    fieldsMax: fieldsMax + 16,
    startLineBytesMax,
  });
  const found = reader.read(bytes, 0);
  if (found !== true) return found === false ? new Rejection(400, 'the head is broken') : found;
  const head = parseRequestHead(reader, targetBytesMax);
  // What proxies said was judged when the request came, and nobody outside says it here.
  return head instanceof Rejection ? head : withFindings(withClaims(head));
}

// The parser drops what clients say about who they are and what their path means. A call from within
// says what was found out when its request came.
function withFindings(head: RequestHead): RequestHead {
  const { known } = head.fields;
  if (!foundFields.some((name) => known.has(name))) return head;
  const add = foundFields.flatMap((name): Field[] => {
    const value = known.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return withFieldChanges(head, { remove: new Set(), add });
}

const foundFields = ['x-fnlet-auth', 'x-fnlet-consumer', 'x-fnlet-parameters'] as const;

const plainHost = /^[a-z0-9.-]+$/;
// Nothing around it that is no part of it.
const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

// What would end the line of the request is caught here, the rest by its parser.
const isTarget = /^\/[\x21-\x7e]*$/;
const isToken = /^[\w!#$%&'*+.^`|~-]+$/;
