import type { CallClient } from './client-call.ts';
import type { FieldBlock } from './http1/field-block.ts';
import type { MessageFraming } from './http1/message-framing.ts';
import type { RequestHead } from './http1/request-head.ts';
import type { ResponseHead } from './http1/response-head.ts';
import type { Trace } from './trace.ts';

/** The head of a request as its Instance gets it (latin1). */
export function forwardedRequest(call: {
  readonly head: RequestHead;
  /** Path and query for the function. */
  readonly target: string;
  readonly client: Pick<CallClient, 'remoteAddress' | 'scheme'>;
  readonly trace: Trace;
}): string {
  const { head, target, client, trace } = call;
  const { kept, known } = head.fields;
  const before = known.get('x-forwarded-for');
  const chain = before === undefined ? client.remoteAddress : `${before}, ${client.remoteAddress}`;
  return (
    `${head.method} ${target} HTTP/1.1\r\n${hostField(head)}${kept}` +
    `${framingFields(head.framing)}${upgradeFields(head.upgrade)}` +
    `X-Forwarded-For: ${chain}\r\n` +
    `X-Forwarded-Proto: ${known.get('x-forwarded-proto') ?? client.scheme}\r\n` +
    `X-Forwarded-Host: ${known.get('x-forwarded-host') ?? head.host}\r\n` +
    `X-Request-Id: ${trace.requestId}\r\ntraceparent: ${trace.traceparent}\r\n` +
    `${stateField(trace)}\r\n`
  );
}

function stateField({ tracestate }: Trace): string {
  return tracestate === undefined ? '' : `tracestate: ${tracestate}\r\n`;
}

// Host passes through as it came, unless the target replaced it or HTTP/1.0 gave none.
function hostField({ host, fields }: RequestHead): string {
  return fields.known.get('host') === host && host !== '' ? '' : `Host: ${host}\r\n`;
}

/** How the body of an answer reaches the client. */
export type BodyCoding =
  /** As it is. */
  | 'verbatim'
  /** Chunked by us: the Instance marks its end by closing. */
  | 'encoded'
  /** Freed of its chunks: the client speaks HTTP/1.0. */
  | 'decoded';

/** How the body of `response` reaches a client of this version. */
export function bodyCoding(response: ResponseHead, version: '1.0' | '1.1'): BodyCoding {
  const { chunked, contentLength } = response.framing;
  if (version === '1.0') return chunked ? 'decoded' : 'verbatim';
  return chunked || contentLength >= 0 ? 'verbatim' : 'encoded';
}

/** The head of an answer as the client gets it (latin1). */
export function forwardedResponse(answer: {
  readonly response: ResponseHead;
  readonly hasBody: boolean;
  readonly coding: BodyCoding;
  readonly requestId: string;
  readonly keepAlive: boolean;
  readonly legacy: boolean;
  /** How long the call waited for an Instance to wake; `undefined` when it did not. */
  readonly wokenAfterMs: number | undefined;
  /** Fields of our own, each line with its CRLF. */
  readonly added: string;
}): string {
  const { response, wokenAfterMs } = answer;
  let text =
    `HTTP/1.1 ${response.statusText}\r\n${response.fields.kept}` +
    `${lengthFields(answer)}X-Request-Id: ${answer.requestId}\r\n${answer.added}`;
  if (wokenAfterMs !== undefined) {
    text += `X-Fnlet-Cold-Start: true\r\nServer-Timing: wake;dur=${wokenAfterMs.toFixed(1)}\r\n`;
  }
  if (!answer.keepAlive) text += 'Connection: close\r\n';
  else if (answer.legacy) text += 'Connection: keep-alive\r\n';
  return `${text}\r\n`;
}

function lengthFields(answer: {
  readonly response: ResponseHead;
  readonly hasBody: boolean;
  readonly coding: BodyCoding;
}): string {
  const { status, framing } = answer.response;
  if (answer.hasBody && answer.coding === 'encoded') return 'Transfer-Encoding: chunked\r\n';
  if (answer.hasBody && answer.coding === 'decoded') return '';
  // RFC 9110 §8.6: no Content-Length with 204. After HEAD and 304 it tells about another answer.
  if (status === 204 || (framing.chunked && !answer.hasBody)) return '';
  return framingFields(framing);
}

/** An interim answer (RFC 9110 §15.2) as the client gets it. */
export function interimResponse(response: ResponseHead): string {
  return `HTTP/1.1 ${response.statusText}\r\n${response.fields.kept}\r\n`;
}

/** The answer that changes the protocol. */
export function switchingResponse(response: ResponseHead, requestId: string): string {
  const { kept, known }: FieldBlock = response.fields;
  return (
    `HTTP/1.1 ${response.statusText}\r\n${kept}${upgradeFields(known.get('upgrade'))}` +
    `X-Request-Id: ${requestId}\r\n\r\n`
  );
}

function framingFields({ chunked, contentLength }: MessageFraming): string {
  if (chunked) return 'Transfer-Encoding: chunked\r\n';
  return contentLength < 0 ? '' : `Content-Length: ${contentLength}\r\n`;
}

function upgradeFields(upgrade: string | undefined): string {
  return upgrade === undefined ? '' : `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
}
