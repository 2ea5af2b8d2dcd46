import type { JsonObject } from '@fnlet/base';
import type { FieldType } from '../field-type.ts';
import { MachineryError } from '../machinery-error.ts';
import { formatGroupVersionKind, type KubeObject } from '../object.ts';
import { runToEnd, type Steps } from '../steps.ts';
import { type ApplyConflict, applyConflicts } from './apply-conflict.ts';
import { type FieldActor, type FieldOwner, type FieldOwners, ownerKey } from './field-owner.ts';
import { emptyFieldSet, equalFieldSets, type FieldSet, isEmptyFieldSet } from './field-set.ts';
import {
  capUpdateOwners,
  decodeManagedFields,
  isReset,
  stripServerFields,
  withManagedFields,
  withoutManagedFields,
} from './managed-fields.ts';
import { applyConfigInSteps, type OwnershipContext, recordUpdate } from './ownership.ts';
import { validateValue } from './validate-value.ts';
import type { Convert, VersionedValue } from './versioned-value.ts';

/** Who writes, when, and how the object's fields are owned. */
export interface FieldWrite {
  /** The field manager; the empty text becomes `unknown`. */
  readonly manager: string;
  /** How objects of this kind are merged, see structural schemas. */
  readonly type: FieldType;
  /** The subresource that is written through, such as `status`; absent for the object itself. */
  readonly subresource?: string | undefined;
  /** The time of the write, RFC 3339. */
  readonly now: string;
  /** Fields that this endpoint resets, so that nobody owns them through it. Default none. */
  readonly resetFields?: FieldSet | undefined;
  /**
   * Gives the object in another version of its API, where other managers wrote theirs. Default: it
   * looks the same in each (conversion strategy None).
   */
  readonly convert?: Convert | undefined;
  /**
   * What a new object is compared with: an object of this kind that nobody wrote anything in. Go
   * servers have all their non-pointer structs there, which nobody owns then. Default: no fields.
   */
  readonly zero?: JsonObject | undefined;
}

/** An apply request with everything that decides its outcome. */
export interface ServerSideApply extends FieldWrite {
  /** The stored object; undefined when it does not exist. */
  readonly live: KubeObject | undefined;
  /** What the manager wants: a partial object in the version of the request. */
  readonly config: KubeObject;
  /** Whether to take fields away from other managers. */
  readonly force: boolean;
}

/** The object to store, or the fields of others that the apply would have changed. */
export type ServerSideApplyResult =
  | { readonly kind: 'applied'; readonly object: KubeObject }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly ApplyConflict[] };

/**
 * Server-side apply (KEP-555): merges `config` into `live` by type, removes what the manager has
 * applied before and now no longer, keeps account in managedFields. An apply without effect returns
 * `live` itself.
 *
 * @throws MachineryError `InvalidTypedValue` when `config` does not fit the type
 *
 * @example
 * const result = applyServerSide({ live, config, manager: 'me', force: false, type, now });
 * if (result.kind === 'conflicts') throw conflictStatus(result.conflicts);
 * store(result.object);
 */
export function applyServerSide(request: ServerSideApply): ServerSideApplyResult {
  return runToEnd(applyInSteps(request));
}

/** The same, step by step: of large objects, all of it takes long. */
export function* applyInSteps(request: ServerSideApply): Steps<ServerSideApplyResult> {
  const { config, force, now, type } = request;
  assertFits(config, type);
  yield;
  const live = request.live ?? emptyObject({}, config);
  const owners = liveOwners(live, request);
  yield;
  const actor = actorOf(request, 'Apply', config.apiVersion);
  const context = contextOf(request, actor, owners);
  const outcome = yield* applyConfigInSteps(
    versioned(live, request, config.apiVersion),
    versioned(config, request, config.apiVersion),
    { ...context, force },
  );
  if (outcome.kind === 'conflicts') {
    return { kind: 'conflicts', conflicts: applyConflicts(outcome.disputes) };
  }
  const { isChanged } = outcome;
  const stamped = isChanged ? stamp(outcome.owners, context.key, now) : outcome.owners;
  const after = stripServerFields(stamped, context.key);
  if (!isChanged && request.live !== undefined && sameOwners(owners, after)) {
    return { kind: 'applied', object: request.live };
  }
  const merged = isChanged ? outcome.value : live;
  if (!isKubeObject(merged)) throw unfit(config, ['expected map, got null']);
  return { kind: 'applied', object: withManagedFields(merged, after) };
}

/** Any other write than an apply, whose changed fields become the writer's. */
export interface TrackedUpdate extends FieldWrite {
  /** The stored object; undefined when the write creates it. */
  readonly before: KubeObject | undefined;
  /** The object as it will be stored; its managedFields are those that the client sent. */
  readonly after: KubeObject;
}

/**
 * `after` with the managedFields of a write that was no apply (POST, PUT, other PATCH): the manager
 * takes what it changed. The client may edit managedFields, except through a subresource; an empty
 * list, or one empty entry, forgets all owners. An object without owners stays so until somebody
 * applies, who then meets the owner `before-first-apply`.
 */
export function trackUpdate(write: TrackedUpdate): KubeObject {
  const { before, after } = write;
  const owners = ownersToUpdate(write);
  if (before !== undefined && owners.size === 0) return withoutManagedFields(after);
  return withManagedFields(after, updateOwners(write, owners, before ?? emptyObject(write, after)));
}

function ownersToUpdate({ before, after, subresource }: TrackedUpdate): FieldOwners {
  const sent: unknown = after.metadata.managedFields;
  if (subresource === undefined) {
    if (isReset(sent)) return noOwners;
    const owners = decodeManagedFields(sent);
    if (owners !== undefined && owners.size > 0) return owners;
  }
  return decodeManagedFields(before?.metadata.managedFields) ?? noOwners;
}

function updateOwners(write: TrackedUpdate, owners: FieldOwners, before: KubeObject): FieldOwners {
  const { after, now } = write;
  const actor = actorOf(write, 'Update', after.apiVersion);
  const context = contextOf(write, actor, owners);
  const updated = recordUpdate(
    versioned(before, write, after.apiVersion),
    versioned(after, write, after.apiVersion),
    context,
  );
  // Only what somebody takes is a reason for a new time; losing fields is not.
  const stamped = isEmptyFieldSet(updated.taken)
    ? updated.owners
    : stamp(updated.owners, context.key, now);
  return capUpdateOwners(stripServerFields(stamped, context.key));
}

const noOwners: FieldOwners = new Map();

/** The owners of a live object; what it holds without any belongs to `before-first-apply`. */
function liveOwners(live: KubeObject, request: ServerSideApply): FieldOwners {
  const owners = decodeManagedFields(live.metadata.managedFields) ?? noOwners;
  if (owners.size > 0 || request.live === undefined) return owners;
  const { config } = request;
  const after = { ...live, apiVersion: config.apiVersion };
  const write = { ...request, before: undefined, after, manager: 'before-first-apply' };
  return updateOwners(write, owners, emptyObject(request, config));
}

function emptyObject(
  { zero }: Pick<FieldWrite, 'zero'>,
  { apiVersion, kind }: KubeObject,
): KubeObject {
  return { ...zero, apiVersion, kind, metadata: { name: '' } };
}

function actorOf(
  { manager, subresource }: FieldWrite,
  operation: FieldActor['operation'],
  apiVersion: string,
): FieldActor {
  return {
    manager: manager === '' ? 'unknown' : manager,
    operation,
    apiVersion,
    ...(subresource === undefined || subresource === '' ? {} : { subresource }),
  };
}

const sameInEveryVersion: Convert = (value) => value;

function contextOf(
  { resetFields = emptyFieldSet, convert = sameInEveryVersion }: FieldWrite,
  actor: FieldActor,
  owners: FieldOwners,
): OwnershipContext {
  return { actor, key: ownerKey(actor), owners, convert, resetFields: () => resetFields };
}

function versioned(object: KubeObject, { type }: FieldWrite, apiVersion: string): VersionedValue {
  return { value: withoutManagedFields(object), type, apiVersion };
}

function stamp(owners: FieldOwners, key: string, time: string): FieldOwners {
  const owner = owners.get(key);
  return owner === undefined ? owners : new Map(owners).set(key, { ...owner, time });
}

function sameOwners(a: FieldOwners, b: FieldOwners): boolean {
  if (a.size !== b.size) return false;
  return a.entries().every(([key, owner]) => {
    const other = b.get(key);
    return other !== undefined && sameOwner(owner, other);
  });
}

function sameOwner(a: FieldOwner, b: FieldOwner): boolean {
  return (
    a === b ||
    (a.time === b.time && a.apiVersion === b.apiVersion && equalFieldSets(a.fields, b.fields))
  );
}

function isKubeObject(value: unknown): value is KubeObject {
  return typeof value === 'object' && value !== null && 'metadata' in value;
}

function assertFits(config: KubeObject, type: FieldType): void {
  const problems = validateValue({ value: config, type });
  if (problems.length > 0) throw unfit(config, problems);
}

function unfit(config: KubeObject, problems: readonly string[]): MachineryError {
  const { apiVersion, kind, metadata } = config;
  const text = problems.length === 1 ? problems[0] : `errors:\n  ${problems.join('\n  ')}`;
  const type = formatGroupVersionKind(apiVersion, kind);
  const name = `${metadata.namespace ?? ''}/${metadata.name}; ${type}`;
  return new MachineryError(
    'InvalidTypedValue',
    `failed to create typed patch object (${name}): ${text}`,
  );
}
