import { hasCode, jsonEqual } from '@fnlet/base';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { admissionOf, type WriteAdmission } from '../admission/write-admission.ts';
import { badRequest, conflict, modified, plainFailure } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { sharedTriesMax, updateTriesMax } from '../limits.ts';
import { applyDefaults } from '../object/apply-defaults.ts';
import { requireShown } from '../object/converted-objects.ts';
import { withFields, withMetadata } from '../object/object-form.ts';
import { type ReadObject, removeObject, requireObject, writeObject } from '../object/objects.ts';
import { mergeSubresource } from '../object/subresource.ts';
import { Turn } from '../object/turn.ts';
import { validateObject } from '../object/validate-object.ts';
import { chargeOf } from '../quota/charge.ts';
import { isSameObject, recordUpdate } from '../request/field-manager.ts';
import { type JsonDocument, toDocument } from '../request/json-document.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import { createHookContext } from './hook-context.ts';
import { mayBeRemoved } from './plan-delete.ts';

/** What an update wants to make of an object. */
export interface Proposal {
  /** The whole object as wished for; its resourceVersion, if any, is a precondition. */
  readonly object: KubeObject;
  /** Who owns what changed; `undefined` when managedFields already say so. */
  readonly manager: string | undefined;
}

export interface UpdateRequest {
  readonly key: ObjectKey;
  readonly subresource?: string | undefined;
  readonly dryRun: boolean;
  /** Who may not ask for everything. Default: the server itself asks. */
  readonly asker?: Asker | undefined;
  /**
   * Called again with the newer object when another write came between; without a turn to share
   * when that has happened too often.
   */
  propose(current: KubeObject, turn: Turn | undefined): Proposal | Promise<Proposal>;
}

/**
 * Changes an object and returns its new state. A proposal without a resourceVersion of its own is
 * retried on conflict; a change that changes nothing writes nothing; a change that lets an object
 * go that was only waiting for its finalizers removes it.
 *
 * @throws StatusError `NotFound`, `Conflict`, `Invalid`, `BadRequest`
 */
export async function updateObject(
  context: ApiContext,
  resource: Resource,
  request: UpdateRequest,
): Promise<JsonDocument<KubeObject>> {
  for (let tries = 1; ; tries++) {
    const turn = tries <= sharedTriesMax ? new Turn(context.clock) : undefined;
    const read = await readShown(context, resource, request.key);
    await turn?.pass();
    const wished = await request.propose(read.object, turn);
    await turn?.pass();
    const { asker, dryRun } = request;
    const admission = admissionOf(context, resource, asker);
    const wish = { request, read, proposal: wished };
    const proposal = admission
      ? await mutateProposal(context, resource, { ...wish, admission })
      : wished;
    const proposed = prepareUpdate(context, resource, { request, read, proposal });
    await turn?.pass();
    const next = trackFields(context, resource, { request, read, proposal, next: proposed });
    await turn?.pass();
    validateObject(resource, next, { old: read.object, subresource: request.subresource });
    if (asker !== undefined) await resource.strategy.admit?.(next, read.object, asker);
    await admission?.validate({ object: next, old: read.object, dryRun });
    await turn?.pass();
    try {
      return await commit(context, resource, { request, read, next, turn });
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
      // A proposal that names the version it was made from fails on its own, above.
      if (tries === updateTriesMax) throw modified(resource.strategy.type, request.key.name);
    }
  }
}

function readShown(
  context: ApiContext,
  resource: Resource,
  key: ObjectKey,
): ReadObject | Promise<ReadObject> {
  if (resource.strategy.convert === undefined) return requireObject(context, resource, key);
  return requireShown(context, resource, key);
}

interface Attempt {
  readonly request: UpdateRequest;
  readonly read: ReadObject;
}

interface Wish extends Attempt {
  readonly proposal: Proposal;
}

/** The whole object as the proposal wants it, as far as it may. */
function wishedObject(
  resource: Resource,
  { request: { subresource }, read: { object: current }, proposal }: Wish,
): KubeObject {
  checkIdentity(resource, current, proposal.object);
  const wished = keepServerFields(current, proposal.object);
  return applyDefaults(
    resource,
    mergeSubresource(resource.strategy, subresource, { wished, current }),
  );
}

/** The proposal as webhooks want it; what they add belongs to nobody. */
async function mutateProposal(
  context: ApiContext,
  resource: Resource,
  wish: Wish & { readonly admission: WriteAdmission },
): Promise<Proposal> {
  const { request, read, proposal, admission } = wish;
  const { dryRun, subresource } = request;
  const object = wishedObject(resource, wish);
  const mutated = await admission.mutate({ object, old: read.object, dryRun });
  if (mutated === object) return proposal;
  const { manager } = proposal;
  const { metadata } =
    manager === undefined
      ? object
      : recordUpdate(resource, {
          ...{ before: read.object, after: object, manager, subresource },
          now: context.clock.now(),
        });
  const { managedFields } = metadata;
  return { object: withMetadata(mutated, { managedFields }), manager: undefined };
}

function prepareUpdate(
  context: ApiContext,
  resource: Resource,
  { request, read, proposal }: Wish,
): KubeObject {
  const { object: current } = read;
  const { strategy } = resource;
  let next = wishedObject(resource, { request, read, proposal });
  if (strategy.prepareUpdate !== undefined) {
    const hook = createHookContext(context, resource, request.asker);
    next = strategy.prepareUpdate(next, {
      ...hook,
      old: current,
      subresource: request.subresource,
    });
  }
  const isAsked = request.subresource !== 'status' && asksForMore(resource, next, current);
  if (strategy.hasGeneration && isAsked) {
    next = withMetadata(next, { generation: (current.metadata.generation ?? 0) + 1 });
  }
  return next;
}

function trackFields(
  context: ApiContext,
  resource: Resource,
  parts: Wish & { readonly next: KubeObject },
): KubeObject {
  const { request, read, proposal, next } = parts;
  if (proposal.manager === undefined) return next;
  return recordUpdate(resource, {
    before: read.object,
    after: next,
    manager: proposal.manager,
    subresource: request.subresource,
    now: context.clock.now(),
  });
}

/**
 * Whether an object is the one that its URL names.
 *
 * @throws StatusError `BadRequest`
 */
export function checkNames(
  { namespace, name }: ObjectKey,
  asked: Pick<KubeObject['metadata'], 'name' | 'namespace'>,
): void {
  if ((asked.name ?? '') === '') {
    const text = `the name of the object (${name} based on URL) was undeterminable`;
    throw badRequest(`${text}: name must be provided`);
  }
  if ((asked.namespace ?? '') !== '' && asked.namespace !== namespace) {
    const text = 'the namespace of the provided object does not match the namespace sent on';
    throw badRequest(`${text} the request`);
  }
  if (asked.name !== name) {
    const text = `the name of the object (${asked.name}) does not match the name on the URL`;
    throw badRequest(`${text} (${name})`);
  }
}

function checkIdentity(resource: Resource, current: KubeObject, wished: KubeObject): void {
  const { type } = resource.strategy;
  const { name, namespace = '', uid, resourceVersion } = current.metadata;
  const asked = wished.metadata;
  checkNames({ namespace, name }, asked);
  if ((asked.uid ?? '') !== '' && asked.uid !== uid) {
    const text = `Precondition failed: UID in precondition: ${asked.uid}`;
    throw conflict(type, name, `${text}, UID in object meta: ${uid}`);
  }
  const { resourceVersion: pinned = '' } = asked;
  if (pinned === '' || pinned === resourceVersion) return;
  if (/^\d+$/.test(pinned)) throw modified(type, name);
  const quoted = JSON.stringify(pinned);
  throw plainFailure(500, `strconv.ParseUint: parsing ${quoted}: invalid syntax`);
}

// What only the server writes stays, whatever the client sent.
function keepServerFields(current: KubeObject, wished: KubeObject): KubeObject {
  const { metadata } = current;
  const kept = withMetadata(wished, {
    uid: metadata.uid,
    namespace: metadata.namespace,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
    generation: metadata.generation,
    resourceVersion: metadata.resourceVersion,
    generateName: metadata.generateName,
  });
  return withFields(kept, { apiVersion: current.apiVersion, kind: current.kind });
}

/** Whether anything but metadata and a separate status changed, or annotations that count. */
function asksForMore(resource: Resource, next: KubeObject, current: KubeObject): boolean {
  const ignored = {
    metadata: undefined,
    ...(resource.strategy.hasStatus ? { status: undefined } : {}),
  };
  const isAnnotated =
    resource.strategy.annotationsAsk === true &&
    !jsonEqual(next.metadata.annotations ?? {}, current.metadata.annotations ?? {});
  if (isAnnotated) return true;
  return !jsonEqual({ ...next, ...ignored }, { ...current, ...ignored });
}

async function commit(
  context: ApiContext,
  resource: Resource,
  {
    request,
    read,
    next,
    turn,
  }: Attempt & { readonly next: KubeObject; readonly turn?: Turn | undefined },
): Promise<JsonDocument<KubeObject>> {
  const { key, dryRun } = request;
  const { strategy } = resource;
  const { revision: expected } = read;
  const isGone = mayBeRemoved(strategy, read.object, next);
  if (!isGone && isSameObject(read.object, next)) return toDocument(read.object);
  await turn?.pass();
  const { asker, subresource } = request;
  const cost = { object: next, old: read.object, subresource, asker };
  const charge = isGone ? undefined : chargeOf(context, resource, cost);
  if (dryRun) {
    charge?.check();
    return toDocument(next);
  }
  const { commit } = charge ?? {};
  if (!isGone) return writeObject(context, resource, { key, object: next, expected, commit });
  await removeObject(context, resource, { key, expected });
  return toDocument(next);
}
