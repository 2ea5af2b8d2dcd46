import { isJsonObject } from '@fnlet/base';
import {
  applyInSteps,
  conflictStatus,
  formatGroupVersionKind,
  type KubeObject,
  type ObjectKey,
  toKubeTime,
} from '@fnlet/machinery';
import { badRequest, conflict, hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { isKubeObject, objectField, withFields, withMetadata } from '../object/object-form.ts';
import { readObject } from '../object/objects.ts';
import { statedReplicas } from '../object/scale.ts';
import { Turn, takeSteps } from '../object/turn.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { decodeBody, isDecoded } from '../request/body.ts';
import { admitValue } from '../request/decode-object.ts';
import { metadataTypeError } from '../request/go-decoding.ts';
import type { JsonDocument } from '../request/json-document.ts';
import type { WriteOptions } from '../request/request-options.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import { createObject } from '../write/create.ts';
import { checkNames, updateObject } from '../write/update.ts';
import { mayTakeOver, updateLastApplied } from './last-applied.ts';

/** What an apply made, and whether the object is new. */
export interface Applied {
  readonly object: JsonDocument<KubeObject>;
  readonly isNew: boolean;
  /** For the client. */
  readonly warnings: readonly string[];
}

/**
 * Server-side apply (KEP-555): the object gets the fields that the client states, and loses those
 * that the same manager stated before and states no more.
 *
 * @throws StatusError `Conflict` (fields of other managers), and what create and update throw
 */
export async function applyObject(
  context: ApiContext,
  resource: Resource,
  target: {
    readonly key: ObjectKey;
    readonly subresource: string | undefined;
    readonly request: ApiRequest;
    readonly options: WriteOptions;
    readonly asker: Asker | undefined;
    /** Refuses where the client may change objects but not make them. */
    readonly mayCreate: () => Promise<void>;
  },
): Promise<Applied> {
  const { key, subresource, request, options, asker } = target;
  const isScale = subresource === 'scale';
  const turn = new Turn(context.clock);
  const stated = await decodeConfig(isScale ? scaleType : typeOf(resource), request);
  const { complaints } = stated;
  const config = isScale ? objectOfScale(resource, stated.config) : stated.config;
  let warnings: readonly string[] = [];
  const { dryRun } = options;
  const merge = async (live: KubeObject | undefined, shared?: Turn): Promise<KubeObject> => {
    await shared?.pass();
    const wanted = { live, config, subresource, options };
    const merged = await mergeConfig(context, resource, { ...wanted, turn: shared });
    // Only what is there already need not be named.
    if (live === undefined || (config.metadata.name ?? '') !== '') checkNames(key, config.metadata);
    // What does not fit the type is told before what is written twice.
    warnings = checkComplaints(complaints, options);
    // A builtin kind is read as its Go type, whichever way a value comes.
    await shared?.pass();
    return resource.strategy.custom ? merged : admitValue(resource, merged).object;
  };
  if (readObject(context, resource.kept, key) === undefined && subresource === undefined) {
    if ((config.metadata.uid ?? '') !== '') throw uidOfMissing(resource, key.name, config);
    const object = withMetadata(await merge(undefined, turn), { resourceVersion: undefined });
    await target.mayCreate();
    const create = { object, namespace: key.namespace, manager: undefined, dryRun, asker };
    try {
      return { object: await createObject(context, resource, create), isNew: true, warnings };
    } catch (error) {
      // Another applier made it meanwhile: what this one states is added to that.
      if (!hasReason(error, 'AlreadyExists')) throw error;
    }
  }
  const object = await updateObject(context, resource, {
    key,
    subresource,
    dryRun,
    asker,
    propose: async (current, shared) => {
      const merged = await merge(current, shared);
      const asked = config.metadata.resourceVersion;
      const pinned =
        asked === undefined ? merged : withMetadata(merged, { resourceVersion: asked });
      return { object: pinned, manager: undefined };
    },
  });
  return { object, isNew: false, warnings };
}

interface StatedType {
  readonly kind: string;
  readonly apiVersion: string;
}

const scaleType: StatedType = { kind: 'Scale', apiVersion: 'autoscaling/v1' };

function typeOf({ strategy, apiVersion }: Resource): StatedType {
  return { kind: strategy.type.kind, apiVersion };
}

/** A stated Scale as what it states of its object: the replicas, and nothing else. */
function objectOfScale(resource: Resource, scale: KubeObject): KubeObject {
  const { kind, apiVersion } = typeOf(resource);
  return { apiVersion, kind, metadata: scale.metadata, ...statedReplicas(resource, scale) };
}

async function decodeConfig(
  type: StatedType,
  request: ApiRequest,
): Promise<{ config: KubeObject; complaints: readonly string[] }> {
  const body = await decodeBody(request, 'yaml');
  if (!isDecoded(body)) throw badRequest(`error decoding YAML: ${body.malformed}`);
  if (!isJsonObject(body.value)) throw badRequest('error decoding YAML: expected an object');
  const { kind = '', apiVersion = '', metadata = {} } = body.value;
  if (kind !== type.kind || apiVersion !== type.apiVersion) {
    throw badRequest(
      `invalid object type: ${formatGroupVersionKind(String(apiVersion), String(kind))}`,
    );
  }
  const wrong = metadataTypeError(metadata);
  const config: unknown = { ...body.value, metadata };
  if (wrong !== undefined || !isKubeObject(config))
    throw badRequest(`error decoding YAML: ${wrong}`);
  if (config.metadata.managedFields !== undefined && config.metadata.managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  return { config, complaints: body.complaints };
}

function checkComplaints(complaints: readonly string[], options: WriteOptions): readonly string[] {
  if (options.fieldValidation === 'Ignore' || complaints.length === 0) return [];
  if (options.fieldValidation === 'Warn') return complaints;
  throw badRequest(`error decoding YAML: strict decoding error: ${complaints.join(', ')}`);
}

async function mergeConfig(
  context: ApiContext,
  resource: Resource,
  {
    live,
    config,
    subresource,
    options,
    turn,
  }: {
    live: KubeObject | undefined;
    config: KubeObject;
    subresource: string | undefined;
    options: WriteOptions;
    turn: Turn | undefined;
  },
): Promise<KubeObject> {
  const write = {
    live,
    config: ownedPart(resource, config, subresource),
    manager: options.fieldManager,
    type: resource.schema.fieldType,
    zero: resource.zero,
    subresource,
    now: toKubeTime(context.clock.now()),
  };
  let result = await takeSteps(applyInSteps({ ...write, force: options.force }), turn);
  if (result.kind === 'conflicts' && mayTakeOver(options.fieldManager, live, result.conflicts)) {
    result = await takeSteps(applyInSteps({ ...write, force: true }), turn);
  }
  if (result.kind === 'conflicts') throw conflictStatus(result.conflicts);
  return updateLastApplied(options.fieldManager, result.object, config);
}

// What the subresource does not own is not stated either: the applier must not come to own it.
function ownedPart(
  resource: Resource,
  config: KubeObject,
  subresource: string | undefined,
): KubeObject {
  const part = subresource === undefined ? undefined : partOf[subresource]?.(config);
  if (part !== undefined) {
    const { apiVersion, kind, metadata } = config;
    const { name, namespace } = metadata;
    const named = namespace === undefined ? { name } : { name, namespace };
    return { apiVersion, kind, metadata: named, ...part };
  }
  return resource.strategy.hasStatus ? withFields(config, { status: undefined }) : config;
}

/** What of an applied object is for a subresource; the others own none of it. */
const partOf: Readonly<Record<string, (config: KubeObject) => Readonly<Record<string, unknown>>>> =
  {
    status: ({ status }) => (status === undefined ? {} : { status }),
    approval: (config) => {
      const { conditions } = objectField(config, 'status');
      return conditions === undefined ? {} : { status: { conditions } };
    },
    ephemeralcontainers: (config) => {
      const { ephemeralContainers } = objectField(config, 'spec');
      return ephemeralContainers === undefined ? {} : { spec: { ephemeralContainers } };
    },
  };

function uidOfMissing(resource: Resource, name: string, config: KubeObject): Error {
  const text = `uid mismatch: the provided object specified uid ${config.metadata.uid}`;
  return conflict(resource.strategy.type, name, `${text}, and no existing object was found`);
}
