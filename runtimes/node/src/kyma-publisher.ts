import type { EmittedEvent, PublisherAnswer } from '@fnlet/sdk';

/**
 * Sends a CloudEvent in structured mode to `PUBLISHER_PROXY_ADDRESS`. Attributes that are given win
 * over those that it makes: an id, the time, and a content type by the kind of data.
 *
 * @throws Error with `response`, for an answer of 300 and above; TypeError when nobody answers
 */
export function emitCloudEvent(
  ...[type, source, data, attributes]: EmittedEvent
): Promise<PublisherAnswer> {
  const isBinary = data instanceof Uint8Array;
  const content = isBinary ? { data_base64: Buffer.from(data).toString('base64') } : { data };
  return publishCloudEvent({
    id: crypto.randomUUID(),
    time: new Date().toISOString(),
    specversion: '1.0',
    datacontenttype: typeof data === 'object' ? 'application/json' : 'text/plain',
    type,
    source,
    ...attributes,
    ...content,
  });
}

/** Sends a CloudEvent that is complete. */
export async function publishCloudEvent(envelope: unknown): Promise<PublisherAnswer> {
  const address = process.env.PUBLISHER_PROXY_ADDRESS;
  if (address === undefined) {
    throw new Error(
      'Cannot publish a CloudEvent: found no PUBLISHER_PROXY_ADDRESS in the environment',
    );
  }
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    body: JSON.stringify(envelope),
  });
  const { status, statusText } = answer;
  const headers = Object.fromEntries(answer.headers);
  const response: PublisherAnswer = {
    status,
    statusText,
    headers,
    data: parse(await answer.text()),
  };
  if (answer.ok) return response;
  const error = new Error(`Request failed with status code ${status}`);
  throw Object.assign(error, { response, status, isAxiosError: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
