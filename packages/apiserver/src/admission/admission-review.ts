import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import {
  type JsonPatch,
  parseApiVersion,
  parseJsonPatch,
  type Status,
  type StatusDetails,
  type StatusReason,
  statusCodes,
} from '@fnlet/machinery';
import { textField } from '../object/object-form.ts';
import type { Resource } from '../resource/resource.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

const apiVersion = 'admission.k8s.io/v1';
const kind = 'AdmissionReview';

/** A request as one webhook is to see it. */
export interface ShownRequest {
  readonly attributes: AdmissionAttributes;
  readonly seenAs: Resource;
  /** The objects as `seenAs` shows them. */
  readonly shown: Pick<AdmissionAttributes, 'object' | 'oldObject'>;
}

/** The request of an AdmissionReview (admission.k8s.io/v1). */
export function reviewRequest(
  { attributes, seenAs, shown: { object, oldObject } }: ShownRequest,
  uid: string,
): JsonObject {
  const { resource, subresource, name, namespace, operation } = attributes;
  const original = kindOf(attributes.object ?? attributes.oldObject, resource);
  const { dryRun, options, user } = attributes;
  return {
    uid,
    kind: kindOf(object ?? oldObject, seenAs),
    resource: resourceOf(seenAs),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: original,
    requestResource: resourceOf(resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(user.extra === undefined ? {} : { extra: user.extra }),
    },
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun,
    options,
  };
}

/** The whole AdmissionReview of a request. */
export function admissionReview(request: JsonObject): JsonObject {
  return { kind, apiVersion, request };
}

function kindOf(
  shown: { readonly apiVersion: string; readonly kind: string } | undefined,
  { strategy: { type } }: Resource,
): JsonObject {
  if (shown === undefined) return { group: type.group, version: type.version, kind: type.kind };
  return { ...parseApiVersion(shown.apiVersion), kind: shown.kind };
}

function resourceOf({ strategy: { type } }: Resource): JsonObject {
  return { group: type.group, version: type.version, resource: type.plural };
}

/** What a webhook said. */
export type Verdict =
  | {
      readonly allowed: true;
      readonly patch: JsonPatch;
      readonly warnings: readonly string[];
    }
  | { readonly allowed: false; readonly status: Status; readonly warnings: readonly string[] };

/** The webhook that is answering, and the request. */
export interface Asked {
  readonly name: string;
  readonly isMutating: boolean;
  readonly uid: string;
}

/**
 * Reads an answer (apiserver, webhook/request.VerifyAdmissionResponse).
 *
 * @throws Error in upstream's words for one that is none
 */
export function parseVerdict(review: JsonObject, asked: Asked): Verdict {
  const { response } = review;
  if (!isJsonObject(response)) throw new Error('webhook response was absent');
  const uid = textField(response, 'uid');
  if (uid !== asked.uid) {
    throw new Error(`expected response.uid="${asked.uid}", got "${uid}"`);
  }
  if (review.apiVersion !== apiVersion || review.kind !== kind) {
    const found = `${textField(review, 'apiVersion')}, Kind=${textField(review, 'kind')}`;
    throw new Error(`expected webhook response of ${apiVersion}, Kind=${kind}, got ${found}`);
  }
  const patch = parsePatch(response, asked);
  const warnings = Array.isArray(response.warnings)
    ? response.warnings.filter((text) => typeof text === 'string')
    : [];
  if (response.allowed === true) return { allowed: true, patch, warnings };
  return { allowed: false, status: refusal(asked.name, response.status), warnings };
}

function parsePatch({ patch, patchType }: JsonObject, { isMutating }: Asked): JsonPatch {
  const hasPatch = typeof patch === 'string' && patch !== '';
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (hasPatch) throw new Error('validating webhook may not return response.patch');
    if (hasType) throw new Error('validating webhook may not return response.patchType');
    return [];
  }
  if (hasPatch && !hasType) {
    throw new Error('webhook returned response.patch but not response.patchType');
  }
  if (hasType && !hasPatch) {
    throw new Error('webhook returned response.patchType but not response.patch');
  }
  if (!hasPatch) return [];
  if (patchType !== 'JSONPatch') {
    throw new Error(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  }
  try {
    return parseJsonPatch(JSON.parse(Buffer.from(patch, 'base64').toString()));
  } catch (error) {
    throw new Error(`webhook returned a response.patch that is none: ${errorMessage(error)}`);
  }
}

/** The Status of a refusal (apiserver, webhook/errors.ToStatusErr). */
function refusal(name: string, given: unknown): Status {
  const { code, message, reason, details } = isJsonObject(given) ? given : {};
  const deniedBy = `admission webhook "${name}" denied the request`;
  const why = [message, reason].find((text) => typeof text === 'string' && text !== '');
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: why === undefined ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    ...(isReason(reason) ? { reason } : {}),
    ...(isDetails(details) ? { details } : {}),
    code: typeof code === 'number' && code >= 400 && code < 600 ? code : 400,
  };
}

function isReason(value: unknown): value is StatusReason {
  return typeof value === 'string' && Object.hasOwn(statusCodes, value);
}

function isDetails(value: unknown): value is StatusDetails {
  return isJsonObject(value);
}
