/**
 * What leads the requests of http Triggers to the Gateway from outside the cluster: an Ingress, an
 * HTTPRoute or both of each Trigger, beside it in its namespace.
 *
 * I1. With the Trigger they go (owner references), and when the settings ask for them no more.
 * I2. What others change about them is put right; what others own besides stays.
 * I3. An object of the same name that Fnlet has not made is left alone.
 * I4. A cluster without the kind HTTPRoute has no HTTPRoutes until it knows it.
 */
import { type TriggerObject, triggerType } from '@fnlet/api';
import { type Clock, FnletError, type Logger, type Random, sleep } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '@fnlet/machinery';
import {
  type ChildWriter,
  type Controller,
  createChildWriter,
  createController,
  createEventRecorder,
  createManager,
  type EventRecorder,
  fromCache,
  type Manager,
  toPrimary,
} from '@fnlet/reconcile';
import { clusterNames } from '../names.ts';
import { routeKindPollMs, routeWorkers } from './limits.ts';
import { planHttpRoute } from './plan-http-route.ts';
import { planIngress } from './plan-ingress.ts';
import { backendPort } from './plan-route-backend.ts';
import { RouteBackends } from './route-backends.ts';
import { routeLabel, routeName, routeTypes } from './route-kinds.ts';
import type { RouteSettings } from './route-settings.ts';
import { isServed, sweepRoutes } from './sweep-routes.ts';

export interface PublishedRoutesOptions {
  /** Its field manager is the owner of what is made. */
  readonly client: Client;
  /** Of the installation: the Gateway is there. */
  readonly namespace: string;
  readonly settings: RouteSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Works until `signal` aborts; where no settings ask for routes, it only removes those of before. */
export async function publishRoutes(
  options: PublishedRoutesOptions,
  signal: AbortSignal,
): Promise<void> {
  const { client, settings, clock, logger } = options;
  const wanted: readonly ResourceType[] = [
    ...(settings.ingress === undefined ? [] : [routeTypes.ingress]),
    ...(settings.parent === undefined ? [] : [routeTypes.httpRoute]),
  ];
  await sweepRoutes(client, settings, signal);
  if (wanted.length === 0) return;
  let served = await servedOf(client, wanted, signal);
  if (served.length < wanted.length) {
    logger.warn('The API does not know the kind HTTPRoute yet: install the Gateway API there');
  }
  while (served.length < wanted.length && !signal.aborted) {
    const more = new AbortController();
    const until = AbortSignal.any([signal, more.signal]);
    const running = new PublishedRoutes(options, served).run(until);
    const looking = untilServed(client, wanted, { clock, signal: until });
    try {
      await Promise.race([running, looking]);
    } finally {
      more.abort();
      await Promise.allSettled([running, looking]);
    }
    served = wanted;
  }
  await new PublishedRoutes(options, served).run(signal);
}

async function servedOf(
  client: Client,
  types: readonly ResourceType[],
  signal: AbortSignal,
): Promise<readonly ResourceType[]> {
  const served: ResourceType[] = [];
  for (const type of types) if (await isServed(client, type, signal)) served.push(type);
  return served;
}

/** I4. Resolves when all of these kinds are served, or `signal` aborts. */
async function untilServed(
  client: Client,
  types: readonly ResourceType[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  while (await sleep(clock, routeKindPollMs, signal)) {
    const served = await servedOf(client, types, signal).catch(() => []);
    if (served.length === types.length) return;
  }
}

class PublishedRoutes {
  readonly #options: PublishedRoutesOptions;
  readonly #manager: Manager;
  readonly #triggers: Cache<TriggerObject>;
  readonly #children: readonly Cache<KubeObject>[];
  readonly #writer: ChildWriter;
  readonly #events: EventRecorder;
  /** What is remembered of Triggers, to let go of it when they are gone. */
  readonly #uids = new Map<string, string>();

  constructor(options: PublishedRoutesOptions, types: readonly ResourceType[]) {
    const { client, clock, random, logger } = options;
    this.#options = options;
    this.#manager = createManager({ client, clock, random, logger });
    const manager = this.#manager;
    this.#triggers = manager.cache<TriggerObject>(triggerType, {
      keep: ['spec'],
      indexes: { [byNamespace]: namespacesOf },
    });
    this.#children = types.map((type) =>
      manager.cache<KubeObject>(type, {
        ...{ labelSelector: routeLabel, appliedBy: client.fieldManager },
      }),
    );
    this.#writer = createChildWriter({
      client: manager.client,
      typeOf: (_, kind) => types.find((type) => type.kind === kind),
      clock,
    });
    this.#events = createEventRecorder({ client, component: 'fnlet', clock, random, logger });
    manager.addService(this.#events);
    manager.addController(this.#createController());
    const triggers = this.#triggers;
    const backends = new RouteBackends({
      ...{ manager, namespace: options.namespace, clock, random, logger, triggers },
      isWanted: (namespace) => triggers.byIndex(byNamespace, namespace).length > 0,
    });
    manager.addController(backends.controller);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#manager.run(signal);
  }

  #createController(): Controller {
    const { clock, random, logger } = this.#options;
    const owners = toPrimary(triggerType);
    return createController({
      name: 'published routes',
      sources: [
        fromCache(this.#triggers),
        ...this.#children.map((cache) => fromCache(cache, { map: owners })),
      ],
      reconcile: (key, { signal }) => this.#reconcile(key, signal),
      concurrency: routeWorkers,
      ...{ clock, random, logger },
    });
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<undefined> {
    const trigger = this.#triggers.get(key);
    const id = formatObjectKey(key);
    if (trigger === undefined) {
      // What it had is deleted with it (I1).
      this.#writer.forget(this.#uids.get(id) ?? '');
      this.#uids.delete(id);
      return undefined;
    }
    this.#uids.set(id, trigger.metadata.uid ?? '');
    const observed = this.#observed(trigger);
    const desired = this.#plan(trigger);
    if (observed.length === 0 && desired.length === 0) return undefined;
    try {
      await this.#assertOwn(desired, observed, signal);
      await this.#apply({ trigger, desired, observed }, signal);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#events.record(trigger, { type: 'Warning', reason: 'RouteNotPublished', message });
      throw error;
    }
    return undefined;
  }

  async #apply({ trigger, desired, observed }: RouteRequest, signal: AbortSignal): Promise<void> {
    const outcomes = await this.#writer.apply({ primary: trigger, desired, observed, signal });
    for (const outcome of outcomes) {
      if (outcome.kind === 'failed') throw outcome.error;
      if (outcome.kind === 'blocked') throw new FnletError('RouteBlocked', outcome.message);
      if (outcome.kind !== 'created') continue;
      const { kind, name } = outcome.child;
      const message = `${kind} "${name}" leads its requests to the Gateway`;
      this.#events.record(trigger, { type: 'Normal', reason: 'RoutePublished', message });
    }
  }

  #plan(trigger: TriggerObject): readonly KubeObject[] {
    if (trigger.metadata.deletionTimestamp !== undefined) return [];
    const { ingress, parent } = this.#options.settings;
    const backend = { service: clusterNames.gateway, port: backendPort };
    return this.#children.flatMap(({ type }) => {
      if (type.kind === routeTypes.ingress.kind) {
        return ingress === undefined
          ? []
          : (planIngress(trigger, { ...ingress, ...backend }) ?? []);
      }
      return parent === undefined ? [] : (planHttpRoute(trigger, { parent, ...backend }) ?? []);
    });
  }

  #observed(trigger: TriggerObject): readonly KubeObject[] {
    const { namespace = '' } = trigger.metadata;
    const key = { namespace, name: routeName(trigger) };
    return this.#children.flatMap((cache) => cache.get(key) ?? []);
  }

  /** I3 */
  async #assertOwn(
    desired: readonly KubeObject[],
    observed: readonly KubeObject[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const { kind, metadata } of desired) {
      if (observed.some((object) => object.kind === kind)) continue;
      const type = this.#children.find((cache) => cache.type.kind === kind)?.type;
      if (type === undefined) continue;
      const { namespace = '', name } = metadata;
      const found = await this.#manager.client.of(type).tryGet({ namespace, name }, { signal });
      if (found === undefined || found.metadata.labels?.[routeLabel] !== undefined) continue;
      const text = `found one that Fnlet has not made, expected none`;
      throw new FnletError('RouteBlocked', `Cannot make ${kind} "${name}": ${text}`, {
        remedy: `Rename it, or the Trigger`,
      });
    }
  }
}

interface RouteRequest {
  readonly trigger: TriggerObject;
  readonly desired: readonly KubeObject[];
  readonly observed: readonly KubeObject[];
}

const byNamespace = 'namespace';

/** Where a Trigger needs the Gateway as a backend. */
function namespacesOf({ metadata, spec }: TriggerObject): readonly string[] {
  return spec.source.http === undefined ? [] : [metadata.namespace ?? ''];
}
