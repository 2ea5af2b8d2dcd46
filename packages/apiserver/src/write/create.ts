import { hasCode } from '@fnlet/base';
import { generateName, type KubeObject, toKubeTime } from '@fnlet/machinery';
import { admissionOf } from '../admission/write-admission.ts';
import {
  alreadyExists,
  badRequest,
  generatedNameExists,
  plainFailure,
} from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { generateNameTriesMax } from '../limits.ts';
import { checkNamespace } from '../namespace/namespace-admission.ts';
import { applyDefaults } from '../object/apply-defaults.ts';
import { withFields, withMetadata } from '../object/object-form.ts';
import { readObject, writeObject } from '../object/objects.ts';
import { Turn } from '../object/turn.ts';
import { validateObject } from '../object/validate-object.ts';
import { chargeOf } from '../quota/charge.ts';
import { recordUpdate } from '../request/field-manager.ts';
import { type JsonDocument, toDocument } from '../request/json-document.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import { createHookContext } from './hook-context.ts';

export interface CreateRequest {
  /** As the client sent it: pruned, not defaulted. */
  readonly object: KubeObject;
  /** The namespace of the URL; empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Who owns the fields; `undefined` when the object already says so (server-side apply). */
  readonly manager: string | undefined;
  readonly dryRun: boolean;
  /** Who may not ask for everything. Default: the server itself asks. */
  readonly asker?: Asker | undefined;
}

/**
 * Creates an object and returns it as stored.
 *
 * @throws StatusError `AlreadyExists`, `Invalid`, `NotFound` (no such namespace), `Forbidden`
 */
export async function createObject(
  context: ApiContext,
  resource: Resource,
  request: CreateRequest,
): Promise<JsonDocument<KubeObject>> {
  if ((request.object.metadata.resourceVersion ?? '') !== '') {
    throw plainFailure(500, 'resourceVersion should not be set on objects to be created');
  }
  const turn = new Turn(context.clock);
  const { asker, dryRun } = request;
  const admission = admissionOf(context, resource, asker);
  const wished = wishedObject(context, resource, request);
  checkNamespace(context, resource, wished);
  const admitted =
    admission === undefined
      ? wished
      : readmit(resource, wished, await admission.mutate({ object: wished, dryRun }));
  const isGenerated = (admitted.metadata.name ?? '') === '';
  for (let tries = 1; ; tries++) {
    await turn.pass();
    const object = prepareObject(context, resource, { wished: admitted, asker });
    await turn.pass();
    validateObject(resource, object);
    if (asker !== undefined) await resource.strategy.admit?.(object, undefined, asker);
    await admission?.validate({ object, dryRun });
    await turn.pass();
    const key = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    const { type } = resource.strategy;
    try {
      const charge = chargeOf(context, resource, { object, asker });
      if (dryRun) {
        charge?.check();
        if (readObject(context, resource.kept, key) !== undefined)
          throw alreadyExists(type, key.name);
        return toDocument(object);
      }
      // Again: it may have begun to go while others had the thread.
      checkNamespace(context, resource, object);
      const write = { key, object, expected: 0, commit: charge?.commit };
      return await writeObject(context, resource, write);
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
      if (!isGenerated) throw alreadyExists(type, key.name);
      if (tries === generateNameTriesMax) throw generatedNameExists(type, key.name);
    }
  }
}

/** The object as the client wants it, whole, and what of it belongs to the client. */
function wishedObject(
  context: ApiContext,
  resource: Resource,
  { object: sent, namespace, manager }: CreateRequest,
): KubeObject {
  const { strategy } = resource;
  const now = context.clock.now();
  let object = clearMetadata(resource, placeInNamespace(resource, sent, namespace));
  if (strategy.hasStatus) object = withFields(object, { status: undefined });
  object = applyDefaults(resource, object);
  // What is added on other accounts, such as a first status, belongs to nobody.
  if (manager === undefined) return object;
  const asked = strategy.hasStatus ? withFields(object, { status: undefined }) : object;
  const { metadata } = recordUpdate(resource, { before: undefined, after: asked, manager, now });
  return { ...object, metadata };
}

/** What admission made of an object, its name too, goes the way of what clients send. */
function readmit(resource: Resource, wished: KubeObject, mutated: KubeObject): KubeObject {
  if (mutated === wished) return wished;
  const { namespace, managedFields } = wished.metadata;
  const kept = { namespace, managedFields };
  const object = withMetadata(clearMetadata(resource, mutated), kept);
  const isWhole = !resource.strategy.hasStatus;
  return applyDefaults(resource, isWhole ? object : withFields(object, { status: undefined }));
}

function prepareObject(
  context: ApiContext,
  resource: Resource,
  { wished, asker }: { readonly wished: KubeObject; readonly asker: Asker | undefined },
): KubeObject {
  const object = stampMetadata(context, resource, wished);
  const { strategy } = resource;
  if (strategy.prepareCreate === undefined) return object;
  return strategy.prepareCreate(object, createHookContext(context, resource, asker));
}

/** @throws StatusError `BadRequest` when the object names another namespace than the URL. */
function placeInNamespace(resource: Resource, object: KubeObject, namespace: string): KubeObject {
  const { namespace: named = '' } = object.metadata;
  if (!resource.strategy.type.namespaced) return object;
  if (named !== '' && namespace !== '' && named !== namespace) {
    const text = 'the namespace of the provided object does not match the namespace sent on';
    throw badRequest(`${text} the request`);
  }
  return withMetadata(object, { namespace: namespace === '' ? named : namespace });
}

/** Without what only the server says. */
function clearMetadata(resource: Resource, object: KubeObject): KubeObject {
  return withMetadata(object, {
    uid: undefined,
    creationTimestamp: undefined,
    ...(resource.strategy.hasGeneration ? { generation: undefined } : {}),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    resourceVersion: undefined,
    ...(resource.strategy.type.namespaced ? {} : clusterScope(object)),
  });
}

function stampMetadata(context: ApiContext, resource: Resource, object: KubeObject): KubeObject {
  const { generateName: base = '', name = '' } = object.metadata;
  return withMetadata(object, {
    name: name === '' && base !== '' ? generateName(base, context.random) : name,
    uid: context.random.uuid(),
    creationTimestamp: toKubeTime(context.clock.now()),
    ...(resource.strategy.hasGeneration ? { generation: 1 } : {}),
  });
}

function clusterScope(object: KubeObject): { namespace?: undefined } {
  return object.metadata.namespace === '' ? { namespace: undefined } : {};
}
