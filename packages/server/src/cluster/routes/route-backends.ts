/**
 * The Gateway as a backend in every namespace with http Triggers, see `planRouteBackend`.
 *
 * I1. Where the last such Trigger is gone, it goes; the namespace of the Gateway has its own.
 * I2. A Service of that name that Fnlet has not made is left alone.
 */
import type { TriggerObject } from '@fnlet/api';
import { type Clock, FnletError, hasCode, type Logger, type Random } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  fromCache,
  isApplied,
  type Manager,
} from '@fnlet/reconcile';
import { clusterNames } from '../names.ts';
import { type EndpointSlice, planRouteBackend } from './plan-route-backend.ts';
import { backendRole, routeLabel, routeTypes } from './route-kinds.ts';

export interface RouteBackendsOptions {
  readonly manager: Manager;
  /** Of the installation. */
  readonly namespace: string;
  readonly triggers: Cache<TriggerObject>;
  /** Whether something in a namespace leads to the Gateway. */
  readonly isWanted: (namespace: string) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class RouteBackends {
  readonly #options: RouteBackendsOptions;
  readonly #services: Cache<KubeObject>;
  readonly #slices: Cache<EndpointSlice>;
  /** Those of the Gateway's own Service. */
  readonly #gateway: Cache<EndpointSlice>;
  /** Its keys are namespaces. */
  readonly controller: Controller;

  constructor(options: RouteBackendsOptions) {
    const { manager, namespace, triggers, clock, random, logger } = options;
    this.#options = options;
    const own = {
      ...{ labelSelector: `${routeLabel}=${backendRole}`, appliedBy: manager.client.fieldManager },
    };
    this.#services = manager.cache<KubeObject>(routeTypes.service, own);
    this.#slices = manager.cache<EndpointSlice>(routeTypes.endpointSlice, own);
    this.#gateway = manager.cache<EndpointSlice>(routeTypes.endpointSlice, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${clusterNames.gateway}`,
    });
    const toNamespace = ({ metadata }: KubeObject): readonly ObjectKey[] => [
      keyOf(metadata.namespace ?? ''),
    ];
    const everywhere = (): readonly ObjectKey[] =>
      [...new Set(triggers.list().map(({ metadata }) => metadata.namespace ?? ''))].map(keyOf);
    this.controller = createController({
      name: 'backends of routes',
      sources: [
        fromCache(triggers, { map: toNamespace }),
        fromCache(this.#services, { map: toNamespace }),
        fromCache(this.#slices, { map: toNamespace }),
        fromCache(this.#gateway, { map: everywhere }),
      ],
      reconcile: ({ name }, { signal }) => this.#reconcile(name, signal),
      ...{ clock, random, logger },
    });
  }

  async #reconcile(namespace: string, signal: AbortSignal): Promise<undefined> {
    const { isWanted, namespace: system } = this.#options;
    const live = [...this.#slices.list(namespace), ...this.#services.list(namespace)];
    const desired =
      isWanted(namespace) && namespace !== system
        ? planRouteBackend(namespace, this.#gateway.list())
        : [];
    for (const object of desired) await this.#write(object, live, signal);
    for (const object of live) {
      if (desired.some((wanted) => isSame(wanted, object))) continue;
      await this.#remove(object, signal);
    }
    return undefined;
  }

  async #write(
    object: KubeObject,
    live: readonly KubeObject[],
    signal: AbortSignal,
  ): Promise<void> {
    const { client } = this.#options.manager;
    const found = live.find((each) => isSame(each, object));
    if (isApplied(object, { live: found, manager: client.fieldManager })) return;
    if (found === undefined) await this.#assertFree(object, signal);
    await client.of(typeOf(object)).apply(object, { force: true, signal });
  }

  /** I2 */
  async #assertFree(object: KubeObject, signal: AbortSignal): Promise<void> {
    const { kind, metadata } = object;
    const { namespace = '', name } = metadata;
    const objects = this.#options.manager.client.of<KubeObject>(typeOf(object));
    const there = await objects.tryGet({ namespace, name }, { signal });
    if (there === undefined || there.metadata.labels?.[routeLabel] === backendRole) return;
    const text = `Cannot make ${kind} "${namespace}/${name}": found one that Fnlet has not made`;
    throw new FnletError('RouteBlocked', text, { remedy: 'Give it another name' });
  }

  async #remove(object: KubeObject, signal: AbortSignal): Promise<void> {
    const { namespace = '', name, uid } = object.metadata;
    const preconditions = { uid };
    const { client } = this.#options.manager;
    try {
      await client.of(typeOf(object)).delete({ namespace, name }, { preconditions, signal });
    } catch (error) {
      // It is gone, or another one has its name.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }
}

function keyOf(namespace: string): ObjectKey {
  return { namespace: '', name: namespace };
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name;
}

function typeOf({ kind }: KubeObject): ResourceType {
  return kind === routeTypes.service.kind ? routeTypes.service : routeTypes.endpointSlice;
}
