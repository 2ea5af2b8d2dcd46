/** The body of a request as event-style handlers get it. */
export interface EventBody {
  /** Media type in lower case, without parameters; empty when the request has none. */
  readonly type: string;
  readonly data: unknown;
}

/** A body that is not what its content type says. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
  readonly status = 400;
  readonly expose = true;
}

export const structuredCloudEvent = 'application/cloudevents+json';

/**
 * Reads a body by its content type, as Kyma's Node runtime does: JSON (values of any type) for
 * application/json and CloudEvents in structured mode, text for text/*, an object for forms, bytes
 * for everything else. No body is no data.
 *
 * @throws MalformedBody (400) for JSON that is none
 */
export function parseEventBody(
  contentType: string | undefined,
  bytes: Buffer | undefined,
): EventBody {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  const mediaType = type.toLowerCase();
  const data =
    bytes === undefined || bytes.length === 0 ? undefined : parse(mediaType, parameters, bytes);
  return { type: mediaType, data };
}

function parse(type: string, parameters: readonly string[], bytes: Buffer): unknown {
  if (type === 'application/json' || type === structuredCloudEvent) return parseJson(bytes);
  if (type.startsWith('text/')) return decode(bytes, parameters);
  if (type === 'application/x-www-form-urlencoded') return parseForm(decode(bytes, parameters));
  return bytes;
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

// A name that comes twice is a list, as in every Node web framework.
function parseForm(text: string): Record<string, unknown> {
  const form: Record<string, unknown> = {};
  const fields = new URLSearchParams(text);
  for (const name of new Set(fields.keys())) {
    const values = fields.getAll(name);
    const value = values.length === 1 ? values[0] : values;
    Object.defineProperty(form, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return form;
}
