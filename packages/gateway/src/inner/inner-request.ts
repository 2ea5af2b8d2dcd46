import type { Invocation } from '@fnlet/invocation';
import { HeadReader } from '../http1/head-reader.ts';
import { Rejection } from '../http1/rejection.ts';
import { parseRequestHead, type RequestHead } from '../http1/request-head.ts';
import type { GatewayLimits } from '../limits.ts';
import { type Field, withFieldChanges } from '../policy/field-changes.ts';
import { formatHeaderFields } from './header-fields.ts';

// The Gateway says these itself; 100-continue makes no sense where the body is there already.
const ownFields: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'expect']);

/** The head of a call that comes from this process, by the rules that hold for every other. */
export function innerRequestHead(
  { namespace, function: name, method, target, headers, body }: Invocation,
  { headBytesMax, fieldsMax, targetBytesMax }: GatewayLimits,
): RequestHead | Rejection {
  const fields = formatHeaderFields(headers.filter(([field]) => !ownFields.has(lower(field))));
  if (fields === undefined) return new Rejection(400, 'a header field holds what none may');
  if (!isTarget.test(target)) return new Rejection(400, 'the request target is not a path');
  if (!isToken.test(method)) return new Rejection(400, 'the method is broken');
  const hasHost = headers.some(([field]) => lower(field) === 'host');
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
  return head instanceof Rejection ? head : withIdentity(head);
}

// The parser drops what clients say about who they are. A call from within says what was found out
// when its request came.
function withIdentity(head: RequestHead): RequestHead {
  const { known } = head.fields;
  const add = identityFields.flatMap((name): Field[] => {
    const value = known.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return add.length === 0 ? head : withFieldChanges(head, { remove: new Set(), add });
}

const identityFields = ['x-fnlet-auth', 'x-fnlet-consumer'] as const;

// What would end the line of the request is caught here, the rest by its parser.
const isTarget = /^\/[\x21-\x7e]*$/;
const isToken = /^[\w!#$%&'*+.^`|~-]+$/;

function lower(name: string): string {
  return name.toLowerCase();
}
