/**
 * Triggers brought to life.
 *
 * I1. What a Trigger had before a restart it has again before `restored` resolves: whoever takes
 *     requests after that takes none for a place that is not known yet.
 */
import {
  customSourceName,
  functionType,
  type HttpSource,
  type TriggerObject,
  triggerType,
} from '@fnlet/api';
import type { Clock, Logger, MetricFamily, Random } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { Invoker } from '@fnlet/invocation';
import { formatObjectKey, type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  createEventRecorder,
  createManager,
  createStatusWriter,
  fromCache,
  type KeyOwnership,
} from '@fnlet/reconcile';
import type { Log } from '@fnlet/store/log';
import type { BrokerWays } from './broker/broker-ways.ts';
import type { OperatorWays } from './delivery/operator-ways.ts';
import type { EventPort } from './delivery/url-target.ts';
import { type HttpGateway, HttpTriggers, type TargetFunction } from './http/http-triggers.ts';
import type { GatewayUrls } from './http/plan-trigger-status.ts';
import type { PolicyRoom } from './http/policy-maker.ts';
import { policySecrets } from './http/policy-secrets.ts';
import { TriggerCertificates } from './http/trigger-certificates.ts';
import { secretType, TriggerPolicies } from './http/trigger-policies.ts';
import { limits } from './limits.ts';
import { createEventSinks } from './sources/custom/event-sinks.ts';
import { EventEndpoints } from './sources/http/event-endpoints.ts';
import type { EventHappening, TailQuery } from './tail/event-happening.ts';
import type { EventTail } from './tail/event-tail.ts';
import { bringsEvents } from './triggers/brings-events.ts';
import { LateEventTriggers } from './triggers/late-event-triggers.ts';
import type { TriggerLetters } from './triggers/trigger-letters.ts';

export interface EventingOptions {
  readonly client: Client;
  readonly gateway: HttpGateway;
  /** Where people reach the Gateway, once it listens. */
  readonly gatewayUrls: Promise<GatewayUrls>;
  /**
   * What policies of routes are made by. Default: what a Gateway in this process judges by.
   */
  readonly createPolicies?: () => PolicyRoom;
  /** What Triggers need that deliver events. */
  readonly delivery: DeliveryWays;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What Triggers need that deliver events. */
export interface DeliveryWays {
  /** Opens the log when the first of them needs it; closed by whoever gave it. */
  readonly openLog: () => Promise<Log>;
  /** Calls Functions. */
  readonly invoke: Invoker;
  /** The way out to URLs. */
  readonly port: EventPort;
  readonly brokers: BrokerWays;
  /** Default: there are no Operators. */
  readonly operators?: OperatorWays;
  /** Who is told of events. Default: nobody. */
  readonly tail?: EventTail;
  /** Which of them run in this process. Default: all. */
  readonly ownership?: KeyOwnership;
  /** Told when many events go through, and when no more. Default: nobody. */
  readonly onLoad?: (isBusy: boolean) => void;
}

export interface Eventing {
  /** Resolves once the Gateway has the routes of all Triggers that there are. */
  readonly restored: Promise<void>;
  /** What is counted about Triggers: their routes, and the events that they deliver. */
  metrics(): readonly MetricFamily[];
  /** The dead letters of the Triggers that there are; `undefined` where none delivers events. */
  letters(): Promise<TriggerLetters | undefined>;
  /** What Triggers keep of events from a time on: what waits, and dead letters. */
  history(query: TailQuery, sinceMs: number): Promise<readonly EventHappening[]>;
  /**
   * How many events wait to be delivered to a Function, by all Triggers that lead to it, those that
   * wait where they come from included; `undefined` while that is not known.
   */
  lagOf(key: ObjectKey): number | undefined;
  /**
   * The same of one Trigger alone, `events` being `undefined` while it is not known; `undefined`
   * where there is no such Trigger, or none that delivers events.
   */
  lagOfTrigger(key: ObjectKey): { readonly events: number | undefined } | undefined;
  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

const byFunction = 'function';
const bySecret = 'secret';

/**
 * @example
 * const eventing = createEventing({ client, gateway, gatewayUrls: listening, … });
 * const running = eventing.run(signal);
 * await eventing.restored;
 * await gateway.listen({ host, port });
 */
export function createEventing(options: EventingOptions): Eventing {
  const { client, gateway, gatewayUrls, clock, random, logger } = options;
  const manager = createManager({ client, clock, random, logger });
  const triggers = manager.cache<TriggerObject>(triggerType, {
    keep: ['spec', 'status'],
    indexes: { [byFunction]: targetsOf, [bySecret]: secretsOf },
  });
  // Only that they are there, and which tags they have.
  const functions = manager.cache<TargetFunction>(functionType, { keep: ['spec.traffic'] });
  // Only that they change: their data are not even sent.
  const secrets = manager.cache<KubeObject>(secretType, { metadataOnly: true });
  const events = createEventRecorder({ client, component: 'fnlet', clock, random, logger });
  const status = createStatusWriter({
    client: manager.client.of<TriggerObject>(triggerType),
    clock,
  });
  const { createPolicies } = options;
  const policies = new TriggerPolicies({ client, createPolicies, clock, logger });
  const endpoints = new EventEndpoints(clock);
  const http: HttpTriggers = new HttpTriggers({
    ...{ triggers, functions, gateway, gatewayUrls, status, events, clock, logger },
    ...{ policies, endpoints },
    certificates: new TriggerCertificates({ client, gateway, clock }),
    enqueue: (key) => controller.enqueue(key),
  });
  const delivering = new LateEventTriggers({
    ...{ client, triggers, functions, status, events, clock, random, logger },
    operators: noOperators,
    ...options.delivery,
    ...{ endpoints, gatewayUrls },
    enqueue: (key, after) => controller.enqueue(key, after),
  });
  gateway.setEventSinks(createEventSinks({ triggers, endpoints }));
  const restored = triggers.synced.then(() => http.restore());
  const controller: Controller = createController({
    name: 'triggers',
    sources: [
      { synced: Promise.all([restored, gatewayUrls]).then(() => {}), start: () => () => {} },
      // Every write, not only of the spec: what others write into the status is put right.
      fromCache(triggers),
      fromCache(functions, {
        map: (target) => triggersOf(triggers, byFunction, target),
        predicate: (event) => event.kind !== 'updated' || isEdited(event),
      }),
      fromCache(secrets, { map: (secret) => triggersOf(triggers, bySecret, secret) }),
    ],
    reconcile: async (key, { signal }) => {
      const looked = await http.reconcile(key, signal);
      return (await delivering.reconcile(key, signal)) ?? looked;
    },
    concurrency: limits.workers,
    ...{ clock, random, logger },
  });
  manager.addService(events);
  manager.addController(controller);
  return {
    restored,
    async run(signal) {
      try {
        await manager.run(signal);
      } finally {
        await delivering.close();
      }
    },
    ...lagReaders(triggers, delivering),
    letters: () => restored.then(() => delivering.letters()),
    history: (query, sinceMs) => restored.then(() => delivering.history(query, sinceMs)),
    metrics: () => [...policies.metrics(), ...delivering.metrics()],
  };
}

const noOperators: OperatorWays = {
  has: () => false,
  wake: () => Promise.resolve('notRunning'),
  subscribe: () => () => {},
};

function lagReaders(
  triggers: Cache<TriggerObject>,
  delivering: Pick<LateEventTriggers, 'lagOf'>,
): Pick<Eventing, 'lagOf' | 'lagOfTrigger'> {
  let isSynced = false;
  void triggers.synced.then(() => {
    isSynced = true;
  });
  return {
    lagOf: (key) =>
      isSynced ? delivering.lagOf(triggers.byIndex(byFunction, formatObjectKey(key))) : undefined,
    lagOfTrigger(key) {
      const trigger = triggers.get(key);
      const isMeasured = trigger !== undefined && bringsEvents(trigger.spec.source);
      return isMeasured ? { events: delivering.lagOf([trigger]) } : undefined;
    },
  };
}

function isEdited(event: { readonly old: KubeObject; readonly object: KubeObject }): boolean {
  return event.old.metadata.generation !== event.object.metadata.generation;
}

function targetsOf({ metadata, spec }: TriggerObject): readonly string[] {
  const { namespace = '' } = metadata;
  const { function: name } = spec.target;
  return name === undefined ? [] : [formatObjectKey({ namespace, name })];
}

function secretsOf({ metadata, spec }: TriggerObject): readonly string[] {
  const { namespace = '', name } = metadata;
  const { http, custom } = spec.source;
  if (custom !== undefined) return [formatObjectKey({ namespace, name: customSourceName(name) })];
  if (http === undefined) return [];
  const names = new Set([...policySecrets(http), ...certificateSecrets(http)]);
  return [...names].map((name) => formatObjectKey({ namespace, name }));
}

function certificateSecrets({ tls }: HttpSource): readonly string[] {
  return tls?.secretName === undefined ? [] : [tls.secretName];
}

/** The Triggers that name an object. */
function triggersOf(triggers: Cache<TriggerObject>, index: string, object: KubeObject) {
  return triggers.byIndex(index, formatObjectKey(objectKey(object))).map(objectKey);
}
