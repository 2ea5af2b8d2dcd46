import { type Field, renderFields } from './policy/field-changes.ts';

/** Why the Gateway answers by itself. */
export type AnswerCode =
  | 'BadRequest'
  | 'BodyTooLarge'
  | 'CallTimeout'
  | 'FunctionNotFound'
  | 'HeaderTimeout'
  | 'Healthy'
  | 'HttpsOnly'
  | 'InstanceBroken'
  | 'InternalError'
  | 'InstanceGone'
  | 'MethodNotAllowed'
  | 'PolicyFailed'
  | 'PolicyTimeout'
  | 'QueueFull'
  | 'RouteNotFound'
  | 'RouteUnavailable';

/** An answer of the Gateway itself. */
export interface Answer {
  readonly status: number;
  readonly code: AnswerCode | string;
  /** One sentence for a person. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** Further fields, such as WWW-Authenticate. */
  readonly fields?: readonly Field[];
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  308: 'Permanent Redirect',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  414: 'URI Too Long',
  417: 'Expectation Failed',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
};

/** What decides the form of an {@link Answer}. */
export interface AnswerForm {
  readonly requestId: string;
  /** Value of Accept. */
  readonly accept: string | undefined;
  /** Whether the connection goes on. */
  readonly keepAlive: boolean;
  /** Whether HTTP/1.0 asked: it must be told that the connection goes on. */
  readonly legacy: boolean;
  /** Whether the request was HEAD. */
  readonly headOnly: boolean;
}

/** Writes an answer: one line of text, or JSON where the client likes that better. */
export function renderAnswer(answer: Answer, form: AnswerForm): Buffer {
  const json = prefersJson(form.accept);
  const body = json ? jsonBody(answer, form.requestId) : textBody(answer, form.requestId);
  // RFC 9110 §15.3.5: 204 has no content, and so says nothing about it.
  const empty = answer.status === 204;
  const type = json ? 'application/json' : 'text/plain; charset=utf-8';
  const lines = [
    `HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? 'Error'}`,
    ...(empty ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
    `X-Request-Id: ${form.requestId}`,
    'X-Content-Type-Options: nosniff',
  ];
  if (answer.retryAfterSeconds !== undefined)
    lines.push(`Retry-After: ${answer.retryAfterSeconds}`);
  if (answer.status === 405 && answer.fields?.some(([name]) => name === 'Allow') !== true)
    lines.push('Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  if (!form.keepAlive) lines.push('Connection: close');
  else if (form.legacy) lines.push('Connection: keep-alive');
  const head = `${lines.join('\r\n')}\r\n${renderFields(answer.fields ?? [])}\r\n`;
  return Buffer.concat([
    Buffer.from(head, 'latin1'),
    Buffer.from(form.headOnly || empty ? '' : body),
  ]);
}

function textBody({ status, message }: Answer, requestId: string): string {
  return status === 200 ? `${message}\n` : `${message} (request ${requestId})\n`;
}

function jsonBody({ status, code, message }: Answer, requestId: string): string {
  return `${JSON.stringify({ status, code, message, requestId })}\n`;
}

/** Whether Accept ranks JSON above plain text (RFC 9110 §12.5.1); between equals the first wins. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('json')) return false;
  let best = 0;
  let json = false;
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const isJson = type === 'application/json' || type.endsWith('+json');
    if (!isJson && !type.startsWith('text/') && type !== '*/*') continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
    if (weight > best) {
      best = weight;
      json = isJson;
    }
  }
  return json;
}
