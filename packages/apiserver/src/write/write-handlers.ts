import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { applyJsonPatch, applyMergePatch, invalidError, parseApiVersion } from '@fnlet/machinery';
import { badRequest, forbidden } from '../answer/status-texts.ts';
import { requestAttributes } from '../auth/access-attributes.ts';
import { requireAccess } from '../auth/require-access.ts';
import { isBuiltinKind } from '../builtins/facts/builtin-facts.ts';
import { isKubeObject } from '../object/object-form.ts';
import { readObject, requireKept } from '../object/objects.ts';
import { scaleOf, withScale } from '../object/scale.ts';
import { Turn } from '../object/turn.ts';
import { objectWarnings } from '../object/validate-object.ts';
import { applyObject } from '../patch/apply.ts';
import { applyPatchType, parsePatch, patchObject } from '../patch/patch.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { bodyFormat, bodyMediaType, decodeBody, isDecoded } from '../request/body.ts';
import { decodeObject, notRegistered } from '../request/decode-object.ts';
import { managerOf } from '../request/field-manager.ts';
import { toDocument } from '../request/json-document.ts';
import { fieldError, parseWriteOptions, type WriteOptions } from '../request/request-options.ts';
import {
  askerOf,
  objectResponse,
  type ResourceRequest,
  routeKey,
  scaleResponse,
} from '../request/resource-request.ts';
import type { Resource } from '../resource/resource.ts';
import { createObject } from './create.ts';
import { checkNames, type Proposal, updateObject } from './update.ts';

/** POST to a collection. */
export async function postObject(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, request } = asked;
  const turn = new Turn(context.clock);
  const options = parseWriteOptions(request.query, 'CreateOptions');
  const { object, warnings } = await decodeObject(resource, request, options.fieldValidation);
  await turn.pass();
  const { answer, closed } = resource.strategy;
  if (answer !== undefined) {
    const answered = await answer(object, askerOf(asked));
    return objectResponse(asked, toDocument(answered), { status: 201, warnings });
  }
  if (closed !== undefined) {
    throw forbidden(resource.strategy.type, object.metadata.name ?? '', { text: closed });
  }
  return await respondCreated(asked, { object, options, warnings });
}

interface DecodedWrite {
  readonly object: KubeObject;
  readonly options: WriteOptions;
  readonly warnings: readonly string[];
}

async function respondCreated(
  asked: ResourceRequest,
  { object, options, warnings }: DecodedWrite,
): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const created = await createObject(context, resource, {
    object,
    namespace: route.namespace,
    manager: managerOf(request, options.fieldManager),
    dryRun: options.dryRun,
    asker: askerOf(asked),
  });
  return objectResponse(asked, created, {
    status: 201,
    warnings: [...warnings, ...objectWarnings(created.value)],
  });
}

/** PUT of an object, its status, or another part of it. */
export async function putObject(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const turn = new Turn(context.clock);
  const options = parseWriteOptions(request.query, 'UpdateOptions');
  const { object, warnings } = await decodeObject(resource, request, options.fieldValidation);
  await turn.pass();
  if (mayMake(asked, object)) {
    await checkCreate(asked);
    return await respondCreated(asked, { object, options, warnings });
  }
  checkNames(routeKey(route), object.metadata);
  const manager = managerOf(request, options.fieldManager);
  const { unconditionalUpdate, type } = resource.strategy;
  const updated = await updateObject(context, resource, {
    key: routeKey(route),
    subresource: route.subresource,
    dryRun: options.dryRun,
    asker: askerOf(asked),
    propose: () => {
      if (!unconditionalUpdate && (object.metadata.resourceVersion ?? '') === '') {
        const text = 'Invalid value: 0: must be specified for an update';
        const error = fieldError('FieldValueInvalid', 'metadata.resourceVersion', text);
        throw invalidError({ group: type.group, kind: type.plural }, object.metadata.name, [error]);
      }
      return { object, manager };
    },
  });
  return objectResponse(asked, updated, {
    warnings: [...warnings, ...objectWarnings(updated.value)],
  });
}

// A few kinds are made by a PUT where nothing is there (upstream's AllowCreateOnUpdate).
function mayMake({ context, resource, route }: ResourceRequest, { metadata }: KubeObject): boolean {
  const { name, resourceVersion = '', uid = '' } = metadata;
  return (
    resource.strategy.createOnUpdate === true &&
    route.subresource === undefined &&
    name === route.name &&
    resourceVersion === '' &&
    uid === '' &&
    readObject(context, resource, routeKey(route)) === undefined
  );
}

/** PATCH of an object or its status, in any of the patch types. */
export async function patchRequest(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const isApply = bodyMediaType(request) === applyPatchType;
  const options = parseWriteOptions(request.query, 'PatchOptions', isApply);
  const key = routeKey(route);
  const { subresource } = route;
  if (isApply) {
    const { object, isNew, warnings } = await applyObject(context, resource, {
      key,
      subresource,
      request,
      options,
      asker: askerOf(asked),
      mayCreate: () => checkCreate(asked),
    });
    return objectResponse(asked, object, {
      status: isNew ? 201 : 200,
      warnings: [...warnings, ...objectWarnings(object.value)],
    });
  }
  const turn = new Turn(context.clock);
  const patch = await parsePatch(resource, request, () => requireKept(context, resource, key));
  await turn.pass();
  const manager = managerOf(request, options.fieldManager);
  let warnings: readonly string[] = [];
  const object = await updateObject(context, resource, {
    key,
    subresource,
    dryRun: options.dryRun,
    asker: askerOf(asked),
    propose: async (current, shared): Promise<Proposal> => {
      const { fieldValidation } = options;
      const how = { patch, fieldValidation, turn: shared };
      const patched = await patchObject(resource, current, how);
      warnings = patched.warnings;
      checkUid(resource, current, patched.object);
      return { object: patched.object, manager };
    },
  });
  return objectResponse(asked, object, {
    warnings: [...warnings, ...objectWarnings(object.value)],
  });
}

// A patch changes what is there, so it cannot mean another object of the name, as a PUT can.
function checkUid(
  { strategy: { type } }: Resource,
  current: KubeObject,
  patched: KubeObject,
): void {
  const { uid = '', name } = patched.metadata;
  if (uid === '' || uid === current.metadata.uid) return;
  const text = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  throw invalidError(type, name, [fieldError('FieldValueInvalid', 'metadata.uid', text)]);
}

/** A PUT or apply that makes an object is a create too. @throws StatusError `Forbidden` */
async function checkCreate({ context, route, request, user }: ResourceRequest): Promise<void> {
  const attributes = { ...requestAttributes(route, request, user), verb: 'create' };
  await requireAccess(context.access, [attributes]);
}

/** PUT and PATCH of an object's scale. */
export async function writeScale(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const isPatch = request.method === 'PATCH';
  if (isPatch && bodyMediaType(request) === applyPatchType) return applyScale(asked);
  const options = parseWriteOptions(request.query, isPatch ? 'PatchOptions' : 'UpdateOptions');
  const change = isPatch ? await parseScalePatch(asked) : await parseScale(asked);
  const updated = await updateObject(context, resource, {
    key: routeKey(route),
    subresource: 'scale',
    dryRun: options.dryRun,
    asker: askerOf(asked),
    propose: (current) => ({
      object: withScale(resource, current, change(scaleOf(resource, current))),
      manager: managerOf(request, options.fieldManager),
    }),
  });
  return scaleResponse(asked, scaleOf(resource, updated.value));
}

/** Who applies a scale owns the replicas of its object, through this subresource. */
async function applyScale(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const { object, warnings } = await applyObject(context, resource, {
    key: routeKey(route),
    subresource: 'scale',
    request,
    options: parseWriteOptions(request.query, 'PatchOptions', true),
    asker: askerOf(asked),
    mayCreate: () => Promise.resolve(),
  });
  return objectResponse(asked, toDocument(scaleOf(resource, object.value)), { warnings });
}

type ScaleChange = (scale: KubeObject) => unknown;

async function parseScale({ request }: ResourceRequest): Promise<ScaleChange> {
  const body = await decodeBody(request, bodyFormat(request));
  if (!isDecoded(body)) throw badRequest(`error decoding a Scale: ${body.malformed}`);
  const { value } = body;
  const { kind = scale.kind, apiVersion = scale.apiVersion } = isJsonObject(value) ? value : {};
  if (kind === scale.kind && apiVersion === scale.apiVersion) return () => value;
  const stated = { kind: String(kind), apiVersion: String(apiVersion) };
  const { version } = parseApiVersion(stated.apiVersion);
  const found = `${stated.kind} in version ${JSON.stringify(version)} cannot be handled as a Scale`;
  const conversion = `converting (${version}.${stated.kind}) to (autoscaling.Scale)`;
  const isKnown = isBuiltinKind(stated);
  const why = isKnown ? `${conversion}: unknown conversion` : notRegistered(stated);
  throw badRequest(`${found}: ${why}`);
}

const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1' };

async function parseScalePatch({ resource, request }: ResourceRequest): Promise<ScaleChange> {
  const patch = await parsePatch(resource, request);
  return (scale) => {
    const patched =
      patch.kind === 'json'
        ? applyJsonPatch(scale, patch.operations)
        : applyMergePatch(scale, patch.document);
    if (!isKubeObject(patched)) throw badRequest('the patch leaves no Scale');
    return patched;
  };
}
