/*
 * The module `sdk` of Kyma's runtime nodejs26, for functions whose compatibility is kyma. They are
 * the ones who load it, by way of the module hooks.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { EventTracer } from '@fnlet/sdk';
import { readCloudEvent } from './cloud-event.ts';
import { batchedCloudEvents, structuredCloudEvent } from './event-body.ts';
import { emitCloudEvent } from './kyma-publisher.ts';
import { kymaTracer } from './kyma-tracer.ts';

export { emitCloudEvent };

export function getTracer(): EventTracer {
  return kymaTracer;
}

/** The request of Express, as far as its CloudEvent is concerned. */
interface RequestOfExpress {
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** The CloudEvent that a request carries, with all its attributes; null when it carries none. */
export function getCloudEvent({ headers, body }: RequestOfExpress): object | null {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const isThere = body !== undefined;
  const found = readCloudEvent(headers, {
    type: type.trim().toLowerCase(),
    isThere,
    data: body,
    requestBody: body,
  });
  if (found === undefined) return null;
  const isWhole = [structuredCloudEvent, batchedCloudEvents].includes(type.trim().toLowerCase());
  const own = isWhole ? envelopeOf(body) : binaryAttributes(headers);
  return { ...own, data: found.data };
}

function envelopeOf(body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const { data_base64: _bytes, ...attributes }: { readonly data_base64?: unknown } = body;
  return attributes;
}

function binaryAttributes(headers: IncomingHttpHeaders): object {
  const attributes = Object.entries(headers)
    .filter(([name]) => name.startsWith('ce-'))
    .map(([name, value]) => [name.slice('ce-'.length), value]);
  return { ...Object.fromEntries(attributes), datacontenttype: headers['content-type'] };
}

export function getFunctionName(): string {
  return process.env.FUNC_NAME ?? '';
}

export function getNamespace(): string {
  return process.env.SERVICE_NAMESPACE ?? '';
}

export function getRuntime(): string {
  return process.env.FUNC_RUNTIME ?? '';
}

/** Seconds. */
export function getTimeout(): number {
  return Number(process.env.FUNC_TIMEOUT ?? 180);
}

/** Mebibytes. */
export function getBodySizeLimit(): number {
  return Number(process.env.FUNC_BODY_MB_LIMIT ?? process.env.REQ_MB_LIMIT ?? 1);
}
