import type { JsonObject } from '@fnlet/base';
import type { ObjectShape } from '@fnlet/sdk/operator';
import type { ReconcileCall } from '@fnlet/sdk/operator-wire';
import type { NamedKind } from '../plan/kinds.ts';

/** Whose hooks are called. */
export type HookStyle = 'Composite' | 'Decorator';

/** What hooks are told of who calls them. */
export interface HookController {
  readonly style: HookStyle;
  readonly name: string;
  /** The kinds of children: each is there in a request, also when there is none of it. */
  readonly owned: readonly NamedKind[];
}

/**
 * The request of a `sync` or a `finalize` hook: the parent, and what is there of its children by
 * kind and name (Metacontroller, api/compositecontroller and api/decoratorcontroller).
 */
export function syncRequest(call: ReconcileCall, controller: HookController): JsonObject {
  const { object, children, related } = call;
  const declared = Object.fromEntries(controller.owned.map((kind) => [groupName(kind), {}]));
  const owned = { ...declared, ...byKind(children, object) };
  const more = { related: byKind(related, object), finalizing: call.what === 'cleanup' };
  return controller.style === 'Composite'
    ? { controller: controllerObject(controller), parent: object, children: owned, ...more }
    : { controller: controllerObject(controller), object, attachments: owned, ...more };
}

/** The request of a `customize` hook. */
export function customizeRequest(
  { object }: Pick<ReconcileCall, 'object'>,
  controller: HookController,
): JsonObject {
  // The name is the same in both styles (Metacontroller, api/customize).
  return { controller: controllerObject(controller), parent: object };
}

function controllerObject({ style, name }: HookController): JsonObject {
  const apiVersion = 'metacontroller.k8s.io/v1alpha1';
  return { apiVersion, kind: `${style}Controller`, metadata: { name } };
}

/** Such as `Pod.v1`, `Deployment.apps/v1`. */
function groupName({ apiVersion, kind }: NamedKind): string {
  return `${kind}.${apiVersion}`;
}

function byKind(objects: readonly ObjectShape[], parent: ObjectShape): JsonObject {
  const home = parent.metadata.namespace ?? '';
  const groups: Record<string, Record<string, ObjectShape>> = {};
  for (const object of objects) {
    const group = groupName(object);
    groups[group] = { ...groups[group], [relativeName(object, home)]: object };
  }
  return groups;
}

// Names are relative to the parent: what is in its own namespace has none before it.
function relativeName({ metadata }: ObjectShape, home: string): string {
  const { namespace = '', name } = metadata;
  return namespace === '' || namespace === home ? name : `${namespace}/${name}`;
}
