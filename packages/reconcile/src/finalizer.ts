/**
 * Puts an operator's finalizer on objects and takes it off again, whatever others do at the moment.
 *
 * I1. It is added before the first effect outside of the object, and that run ends: the patch wakes
 *     the next one. So nothing is ever made that nobody cleans up.
 * I2. It is never added to an object that is being deleted.
 * I3. No foreign finalizer is touched: a patch names what it found (`test`), and fails on the
 *     server when that is no longer so (kube-rs, finalizer.rs). Replacing the list from what was
 *     read could remove or revive those of others.
 */
import { hasCode, type JsonObject } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import { finalizerTriesMax } from './limits.ts';

/**
 * What a run has to do.
 *
 * - `add`: put the finalizer on, and nothing else.
 * - `reconcile`: what the object asks for.
 * - `cleanup`: undo that, then take the finalizer off. Nothing may have been done yet.
 * - `gone`: nothing; the object waits for others, or was deleted before the finalizer came.
 */
export type FinalizerStage = 'add' | 'reconcile' | 'cleanup' | 'gone';

/** What a run on this object has to do, when it has a finalizer to care for. */
export function decideFinalizer({ metadata }: KubeObject, finalizer: string): FinalizerStage {
  const isOn = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp === undefined) return isOn ? 'reconcile' : 'add';
  return isOn ? 'cleanup' : 'gone';
}

/** The one finalizer of an operator on the objects of a kind. */
export interface Finalizer<T extends KubeObject> {
  readonly name: string;
  /**
   * Puts it on; returns the object as the API answered, or `undefined` when it is gone, is being
   * deleted, or is another one by now.
   *
   * @throws StatusError when the API refuses, `Invalid` also when the object changes all the time
   */
  add(object: T, signal: AbortSignal): Promise<T | undefined>;
  /** Takes it off, however often the list changes meanwhile; returns as `add` does. */
  remove(object: T, signal: AbortSignal): Promise<T | undefined>;
}

/**
 * @example
 * const finalizer = createFinalizer({ client: client.of<Site>(siteType), name: 'example.com/site' });
 * switch (decideFinalizer(site, finalizer.name)) {
 *   case 'add': await finalizer.add(site, signal); return;
 */
export function createFinalizer<T extends KubeObject>(options: {
  readonly client: Pick<ResourceClient<T>, 'patch' | 'tryGet'>;
  /** With a domain, as the API wants it: `example.com/sites`. */
  readonly name: string;
}): Finalizer<T> {
  const { client, name } = options;
  return {
    name,
    add: (object, signal) => patchUntilDone(client, { object, name, plan: planAdd, signal }),
    remove: (object, signal) => patchUntilDone(client, { object, name, plan: planRemove, signal }),
  };
}

type Plan = (object: KubeObject, name: string) => readonly JsonObject[] | undefined;

function planAdd(object: KubeObject, name: string): readonly JsonObject[] | undefined {
  if (decideFinalizer(object, name) !== 'add') return undefined;
  const { finalizers = [], resourceVersion } = object.metadata;
  // There is no portable test for "no such list": then nothing at all may have changed.
  if (finalizers.length === 0) {
    return [
      { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/metadata/finalizers', value: [name] },
    ];
  }
  return [
    ...testUid(object),
    { op: 'test', path: '/metadata/finalizers', value: finalizers },
    { op: 'add', path: '/metadata/finalizers/-', value: name },
  ];
}

function planRemove(object: KubeObject, name: string): readonly JsonObject[] | undefined {
  const index = object.metadata.finalizers?.indexOf(name) ?? -1;
  if (index < 0) return undefined;
  const path = `/metadata/finalizers/${index}`;
  return [...testUid(object), { op: 'test', path, value: name }, { op: 'remove', path }];
}

function testUid({ metadata }: KubeObject): readonly JsonObject[] {
  return [{ op: 'test', path: '/metadata/uid', value: metadata.uid }];
}

interface Patching<T extends KubeObject> {
  readonly object: T;
  readonly name: string;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

async function patchUntilDone<T extends KubeObject>(
  client: Pick<ResourceClient<T>, 'patch' | 'tryGet'>,
  { object, name, plan, signal }: Patching<T>,
): Promise<T | undefined> {
  const key = objectKey(object);
  let seen = object;
  for (let tries = 1; ; tries++) {
    const patch = plan(seen, name);
    if (patch === undefined)
      return seen.metadata.deletionTimestamp === undefined ? seen : undefined;
    try {
      return await client.patch(key, { type: 'json', patch }, { signal });
    } catch (error) {
      if (hasCode(error, 'NotFound')) return undefined;
      // A test that fails is answered with 422, as an object that is not valid is.
      if (!hasCode(error, 'Invalid') && !hasCode(error, 'Conflict')) throw error;
      const live = await client.tryGet(key, { signal });
      if (live === undefined || live.metadata.uid !== object.metadata.uid) return undefined;
      const isSame = live.metadata.resourceVersion === seen.metadata.resourceVersion;
      if (isSame || tries >= finalizerTriesMax) throw error;
      seen = live;
    }
  }
}
