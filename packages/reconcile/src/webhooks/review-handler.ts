import {
  type Clock,
  errorMessage,
  isJsonObject,
  type JsonObject,
  type Logger,
  tryParseDuration,
} from '@fnlet/base';
import type { WebHandler } from '../web-handler.ts';
import { within } from '../within.ts';
import { reviewBytesMax, webhookTimeoutMaxMs, webhookTimeoutMs } from './limits.ts';

/** What every webhook needs. */
export interface WebhookPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How one kind of review is answered. */
export interface Reviewer extends WebhookPorts {
  /** `AdmissionReview` or `ConversionReview`. */
  readonly kind: string;
  /** The `response` of the review, without `uid`. What it throws becomes `failed`. */
  readonly review: (request: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** The `response` that says that there is none. */
  readonly failed: (message: string) => JsonObject;
}

/**
 * Answers reviews: reads a bounded body, asks `review` for as long as the caller waits, and contains
 * whatever it throws. What is no review at all is refused by an HTTP status.
 */
export function createReviewHandler(reviewer: Reviewer): WebHandler {
  return async (request) => {
    if (request.method !== 'POST') {
      return new Response('expected POST\n', { status: 405, headers: { allow: 'POST' } });
    }
    const body = await readBounded(request);
    if (body === undefined) {
      return new Response(`expected at most ${reviewBytesMax} bytes\n`, { status: 413 });
    }
    const review = parseReview(body, reviewer.kind);
    if (review === undefined) {
      return new Response(`expected a ${reviewer.kind} in JSON\n`, { status: 400 });
    }
    const { apiVersion, request: asked } = review;
    const answer = await answerInTime(reviewer, asked, timeoutMs(request));
    const response = { uid: asked.uid, ...answer };
    return Response.json({ apiVersion, kind: reviewer.kind, response });
  };
}

async function answerInTime(
  { clock, logger, review, failed }: Reviewer,
  request: JsonObject,
  timeoutMs: number,
): Promise<JsonObject> {
  try {
    return await within({ clock, timeoutMs }, async (signal) => {
      const late = Promise.withResolvers<never>();
      signal.addEventListener('abort', () =>
        late.reject(new Error(`not done after ${timeoutMs} ms`)),
      );
      return await Promise.race([review(request, signal), late.promise]);
    });
  } catch (error) {
    logger.error(`A webhook failed: ${errorMessage(error)}`, { uid: request.uid });
    return failed(errorMessage(error));
  }
}

/** The API server says in the query how long it waits. */
function timeoutMs({ url }: Request): number {
  const asked = tryParseDuration(new URL(url).searchParams.get('timeout') ?? '');
  return Math.min(asked ?? webhookTimeoutMs, webhookTimeoutMaxMs);
}

async function readBounded(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > reviewBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Review {
  readonly apiVersion: string;
  readonly request: JsonObject & { readonly uid: string };
}

function parseReview(text: string, kind: string): Review | undefined {
  const value = tryParseJson(text);
  if (!isJsonObject(value) || value.kind !== kind) return undefined;
  const { apiVersion, request } = value;
  if (typeof apiVersion !== 'string' || !isRequest(request)) return undefined;
  return { apiVersion, request };
}

function isRequest(value: unknown): value is Review['request'] {
  return isJsonObject(value) && typeof value.uid === 'string' && value.uid !== '';
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
