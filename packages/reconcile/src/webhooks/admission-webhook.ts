import type { JsonObject } from '@fnlet/base';
import type { AdmissionRequest, Mutate, ObjectShape, Validate, Verdict } from '@fnlet/sdk/operator';
import type { WebHandler } from '../web-handler.ts';
import { parseAdmissionRequest } from './admission-request.ts';
import { planJsonPatch } from './plan-json-patch.ts';
import { createReviewHandler, type WebhookPorts } from './review-handler.ts';

/**
 * A validating webhook. When `validate` throws, or takes too long, the request is refused with the
 * error: what could not be checked is not admitted.
 *
 * @example
 * const handler = createValidatingWebhook<Site>(({ object }) =>
 *   object?.spec.url === '' ? { denied: 'spec.url must not be empty' } : undefined, ports);
 */
export function createValidatingWebhook<T extends ObjectShape>(
  validate: Validate<T>,
  ports: WebhookPorts,
): WebHandler {
  return createAdmissionHandler(ports, async (request, signal) => {
    const verdict = await validate(parse<T>(request), signal);
    return toResponse(verdict ?? {});
  });
}

/**
 * A mutating webhook: the answer carries the JSON patch from the object that was sent to the one
 * that `mutate` returned.
 *
 * @example
 * const handler = createMutatingWebhook<Site>(({ object }) =>
 *   object && { object: { ...object, spec: { replicas: 1, ...object.spec } } }, ports);
 */
export function createMutatingWebhook<T extends ObjectShape>(
  mutate: Mutate<T>,
  ports: WebhookPorts,
): WebHandler {
  return createAdmissionHandler(ports, async (request, signal) => {
    const asked = parse<T>(request);
    const verdict = (await mutate(asked, signal)) ?? {};
    const response = toResponse(verdict);
    if (verdict.object === undefined || verdict.denied !== undefined) return response;
    const patch = planJsonPatch(asked.object, verdict.object);
    if (patch.length === 0) return response;
    const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
    return { ...response, patchType: 'JSONPatch', patch: encoded };
  });
}

function createAdmissionHandler(
  ports: WebhookPorts,
  review: (request: JsonObject, signal: AbortSignal) => Promise<JsonObject>,
): WebHandler {
  const failed = (message: string): JsonObject => ({
    allowed: false,
    status: { code: 500, message },
  });
  return createReviewHandler({ ...ports, kind: 'AdmissionReview', review, failed });
}

function parse<T extends ObjectShape>(request: JsonObject): AdmissionRequest<T> {
  const parsed = parseAdmissionRequest<T>(request);
  if (parsed === undefined) {
    throw new Error('Cannot read the AdmissionRequest: expected an operation and whole objects');
  }
  return parsed;
}

function toResponse({ denied, code = 403, warnings = [] }: Verdict): JsonObject {
  return {
    allowed: denied === undefined,
    ...(denied === undefined ? {} : { status: { code, message: denied } }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
