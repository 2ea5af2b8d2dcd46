import type { HandlerStyle } from '@fnlet/invocation';
import type { Call } from './call.ts';
import { parseForm } from './form.ts';
import { hasBody, isMultipart, MalformedBody } from './incoming-body.ts';

/** The styles whose handlers get an event. */
export type EventStyle = Exclude<HandlerStyle, 'web'>;

/** The body of a request as event-style handlers get it. */
export interface EventBody {
  /** Media type in lower case, without parameters; empty when the request has none. */
  readonly type: string;
  /** Whether there are any bytes. */
  readonly isThere: boolean;
  readonly data: unknown;
  /** What the handler finds as the body of Express's request. */
  readonly requestBody: unknown;
}

export const structuredCloudEvent = 'application/cloudevents+json';
export const batchedCloudEvents = 'application/cloudevents-batch+json';

/**
 * Reads the body of a call for a handler of this style. Kyma and Kubeless leave a multipart body to
 * the handler: it is still unread then.
 *
 * @throws MalformedBody (400) for JSON that is none
 */
export async function readEventBody(call: Call, style: EventStyle): Promise<EventBody> {
  const { request } = call;
  const isLeft = style !== 'event' && isMultipart(request);
  const bytes = hasBody(request) && !isLeft ? await call.body().bytes() : undefined;
  return parseEventBody({ contentType: request.headers['content-type'], bytes, style });
}

/**
 * Reads a body by its content type; docs/runtime-contract.md has the table.
 *
 * @throws MalformedBody (400) for JSON that is none
 */
export function parseEventBody(given: {
  readonly contentType: string | undefined;
  readonly bytes: Buffer | undefined;
  readonly style: EventStyle;
}): EventBody {
  const { contentType, bytes, style } = given;
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  const whole = { type: type.toLowerCase(), parameters };
  const isThere = bytes !== undefined && bytes.length > 0;
  const parse = style === 'kubeless' ? parseAsKubeless : parseAsKyma;
  if (isThere) {
    const data = parse({ ...whole, bytes });
    // Kubeless parses the body after Express, which keeps the bytes.
    const requestBody = style === 'kubeless' ? bytes : data;
    // Kyma's runtime takes a body that is falsy for none.
    const isNone = style === 'kyma' && !data;
    return { type: whole.type, isThere, data: isNone ? undefined : data, requestBody };
  }
  const none = style === 'kubeless' ? {} : undefined;
  return { type: whole.type, isThere, data: none, requestBody: none };
}

interface TypedBytes {
  readonly type: string;
  /** Such as `charset=utf-8`. */
  readonly parameters: readonly string[];
  readonly bytes: Buffer;
}

const jsonTypes: ReadonlySet<string> = new Set([
  'application/json',
  structuredCloudEvent,
  batchedCloudEvents,
]);

function parseAsKyma({ type, parameters, bytes }: TypedBytes): unknown {
  if (jsonTypes.has(type)) return parseJson(bytes);
  if (type.startsWith('text/')) return decode(bytes, parameters);
  if (type === 'application/x-www-form-urlencoded') return parseForm(decode(bytes, parameters));
  return bytes;
}

// JSON that is none is an error of the function there, and no refusal.
function parseAsKubeless({ type, bytes }: TypedBytes): unknown {
  const text = bytes.toString('utf8');
  return jsonTypes.has(type) ? JSON.parse(text) : text;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    throw new MalformedBody(`Cannot read the request body as JSON: ${found}`);
  }
}

function decode(bytes: Buffer, parameters: readonly string[]): string {
  const charset = parameters.map((part) => /^charset="?([^"]+)"?$/i.exec(part)?.[1]).find(Boolean);
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
