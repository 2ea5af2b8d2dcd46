import { canonicalJson, isJsonObject } from '@fnlet/base';
import {
  applyJsonPatchInSteps,
  applyMergePatch,
  goTypeName,
  invalidError,
  type JsonPatch,
  type KubeObject,
  parseJsonPatch,
  type StatusError,
  type Steps,
} from '@fnlet/machinery';
import {
  badRequest,
  hasReason,
  noSuchMediaType,
  unsupportedMediaType,
} from '../answer/status-texts.ts';
import { shownObjectCharactersMax } from '../limits.ts';
import { type Turn, takeSteps } from '../object/turn.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { bodyMediaType, decodeBody, isDecoded } from '../request/body.ts';
import { admitValue } from '../request/decode-object.ts';
import { type FieldValidation, fieldError } from '../request/request-options.ts';
import type { Resource } from '../resource/resource.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

/** How a patch changes an object. */
export type Patch =
  | { readonly kind: 'json'; readonly operations: JsonPatch }
  | { readonly kind: 'merge'; readonly document: Readonly<Record<string, unknown>> }
  | { readonly kind: 'strategic'; readonly document: Readonly<Record<string, unknown>> };

const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
const strategicPatchType = 'application/strategic-merge-patch+json';
export const applyPatchType = 'application/apply-patch+yaml';

/** The patch types that a kind takes, in the order in which a refusal names them. */
function patchTypes(resource: Resource): readonly string[] {
  const types = [jsonPatchType, mergePatchType, applyPatchType];
  return resource.strategy.mergeType === undefined ? types : [...types, strategicPatchType];
}

/**
 * Reads a patch other than server-side apply; `requireTarget` refuses where there is nothing to
 * patch, which is told before what is wrong with the patch.
 *
 * @throws StatusError `UnsupportedMediaType`, `BadRequest`
 */
export async function parsePatch(
  resource: Resource,
  request: ApiRequest,
  requireTarget: () => void = () => {},
): Promise<Patch> {
  const type = patchType(resource, request);
  try {
    return await decodePatch(type, request);
  } catch (error) {
    requireTarget();
    throw error;
  }
}

/** @throws StatusError `UnsupportedMediaType` */
function patchType(resource: Resource, request: ApiRequest): string {
  const type = bodyMediaType(request);
  const accepted = patchTypes(resource);
  if (accepted.includes(type)) return type;
  throw resource.strategy.custom ? unsupportedMediaType(accepted) : noSuchMediaType();
}

/** @throws StatusError `BadRequest` */
async function decodePatch(type: string, request: ApiRequest): Promise<Patch> {
  const body = await decodeBody(request, 'json');
  if (!isDecoded(body)) throw badRequest(`error decoding patch: ${body.malformed}`);
  if (type === jsonPatchType) return { kind: 'json', operations: parseJsonPatch(body.value) };
  if (!isJsonObject(body.value)) {
    if (body.value === null) throw badRequest('Invalid JSON Patch');
    const prefix = type === strategicPatchType ? '' : 'error decoding patch: ';
    const target = 'Go value of type map[string]interface {}';
    throw badRequest(`${prefix}json: cannot unmarshal ${goTypeName(body.value)} into ${target}`);
  }
  return { kind: type === mergePatchType ? 'merge' : 'strategic', document: body.value };
}

/** A patched object: pruned, not defaulted; `warnings` are for the client. */
export interface PatchedObject {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

/**
 * The object as the patch makes it.
 *
 * @throws StatusError `Invalid` (strict field validation), `BadRequest`
 * @throws MachineryError for a patch that does not fit
 */
export async function patchObject(
  resource: Resource,
  current: KubeObject,
  wanted: {
    readonly patch: Patch;
    readonly fieldValidation: FieldValidation;
    /** Others have the thread between its steps. */
    readonly turn: Turn | undefined;
  },
): Promise<PatchedObject> {
  const { patch, fieldValidation, turn } = wanted;
  const patched = await takeSteps(applyPatch(resource, current, patch), turn);
  await turn?.pass();
  if (!isJsonObject(patched)) throw badRequest('the patch leaves no object');
  const { object, unknownFields } = admitPatched(resource, patched);
  const complaints = unknownFields.map((path) => `unknown field "${path}"`);
  if (fieldValidation === 'Ignore' || complaints.length === 0) return { object, warnings: [] };
  if (fieldValidation === 'Warn') return { object, warnings: complaints };
  const text = `strict decoding error: ${complaints.join(', ')}`;
  throw invalidPatch(patched, text);
}

// What a decoder refuses in a body is, in a patched object, the fault of the patch.
function admitPatched(
  resource: Resource,
  patched: Readonly<Record<string, unknown>>,
): ReturnType<typeof admitValue> {
  try {
    return admitValue(resource, patched);
  } catch (error) {
    if (!hasReason(error, 'BadRequest')) throw error;
    throw invalidPatch(patched, error.message);
  }
}

function invalidPatch(patched: unknown, text: string): StatusError {
  const json = canonicalJson(patched);
  const isLong = json.length > shownObjectCharactersMax;
  const shown = isLong ? `${json.slice(0, shownObjectCharactersMax)}...` : json;
  const message = `Invalid value: ${JSON.stringify(shown)}: ${text}`;
  const error = fieldError('FieldValueInvalid', 'patch', message);
  return invalidError({ group: '', kind: '' }, '', [error]);
}

function* applyPatch(resource: Resource, current: KubeObject, patch: Patch): Steps<unknown> {
  switch (patch.kind) {
    case 'json':
      return yield* applyJsonPatchInSteps(current, patch.operations);
    case 'merge':
      return applyMergePatch(current, patch.document);
    case 'strategic':
      return applyStrategicMerge(current, patch.document, resource.strategy.mergeType ?? {});
  }
}
