/**
 * Triggers with the source http, as routes of the Gateway.
 *
 * I1. A route stands in the Gateway before the status says so, and all that stood before stand
 *     again before `restored` resolves.
 * I2. A Trigger changes its own route and, where they ask for the same requests, those of others;
 *     no route else.
 * I3. A route stands with its policy or not at all.
 * I4. A route needs no Function: once there is one, calls reach it, whatever the status says yet.
 */
import {
  type FunctionSpec,
  type FunctionTarget,
  type HttpSource,
  isFunctionTarget,
  parseTrigger,
  type TriggerObject,
} from '@fnlet/api';
import { type Clock, errorMessage, jsonEqual, type Logger } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import type { Gateway, HttpRoute, RoutePolicy } from '@fnlet/gateway';
import {
  findCondition,
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseObjectKey,
} from '@fnlet/machinery';
import {
  type EventRecorder,
  ReconcileError,
  type Result,
  type StatusWriter,
} from '@fnlet/reconcile';
import { limits } from '../limits.ts';
import type { EventEndpoints } from '../sources/http/event-endpoints.ts';
import { HostOwners } from './host-owners.ts';
import {
  type HttpRoutePlan,
  httpClaims,
  type LostMatch,
  planHttpRoute,
} from './plan-http-route.ts';
import {
  findRouteTrouble,
  type GatewayUrls,
  planTriggerStatus,
  type RouteStanding,
  routeUrl,
} from './plan-trigger-status.ts';
import { type Claimant, RouteClaims } from './route-claims.ts';
import type { CertificateOwner, TriggerCertificates } from './trigger-certificates.ts';
import type { PolicyOwner, TriggerPolicies } from './trigger-policies.ts';

/** What this room needs of the Gateway. */
export type HttpGateway = Pick<
  Gateway,
  'setHttpRoutes' | 'setHttpRoute' | 'removeHttpRoute' | 'setCertificates' | 'setEventSinks'
>;

export interface HttpTriggersOptions {
  readonly triggers: Cache<TriggerObject>;
  readonly functions: Cache<TargetFunction>;
  readonly gateway: HttpGateway;
  readonly policies: TriggerPolicies;
  readonly certificates: TriggerCertificates;
  /** Who takes requests that are events. */
  readonly endpoints: EventEndpoints;
  /** Where the Gateway is reached, once it listens; nothing is reconciled before. */
  readonly gatewayUrls: Promise<GatewayUrls>;
  readonly status: StatusWriter<TriggerObject>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Has another Trigger looked at. */
  readonly enqueue: (key: ObjectKey) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A Function, as far as Triggers look at it. */
export interface TargetFunction extends KubeObject {
  readonly spec?: Pick<FunctionSpec, 'traffic'>;
}

interface HttpTrigger {
  readonly trigger: TriggerObject;
  readonly source: HttpSource;
  /** Who is handed requests on; `undefined` where they are taken as events. */
  readonly target: FunctionTarget | undefined;
}

/** What stands in the Gateway, and the state of the Trigger that it was made of (I3). */
interface Standing {
  readonly trigger: HttpTrigger;
  readonly route: HttpRoute;
}

export class HttpTriggers {
  readonly #options: HttpTriggersOptions;
  readonly #hosts = new HostOwners();
  readonly #claims = new RouteClaims();
  readonly #standing = new Map<string, Standing>();

  constructor(options: HttpTriggersOptions) {
    this.#options = options;
  }

  /** Puts the routes of all Triggers that there are in place. */
  async restore(): Promise<void> {
    const { triggers, gateway, certificates, logger } = this.#options;
    const found: HttpTrigger[] = [];
    for (const object of triggers.list()) {
      try {
        const trigger = readHttpTrigger(object);
        if (trigger !== undefined) found.push(trigger);
      } catch (error) {
        logger.warn('A Trigger is left out', { error: errorMessage(error) });
      }
    }
    for (const each of found) this.#hosts.set(hostClaims(each));
    for (const each of found) {
      this.#claimRequests(each);
      await this.#restoreSecrets(ownerOf(this.#granted(each)));
    }
    certificates.show();
    for (const trigger of found) {
      const route = this.#planRoute(trigger, this.#policyOf(trigger));
      this.#standing.set(route.id, { trigger, route });
    }
    gateway.setHttpRoutes([...this.#standing.values()].map(({ route }) => route));
  }

  /** Makes what is there of a Trigger true; returns when it is to be looked at again. */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const { triggers, policies, certificates, clock } = this.#options;
    const found = triggers.get(key);
    const trigger = found === undefined ? undefined : read(found);
    if (trigger === undefined) {
      await this.#remove(formatObjectKey(key));
      return undefined;
    }
    const owner = ownerOf(this.#granted(trigger));
    await policies.prepare(owner, signal);
    const certified = await certificates.read(owner, signal);
    const concerned = this.#claim(trigger);
    this.#place(trigger, this.#policyOf(trigger));
    certificates.show();
    this.#look(concerned.union(certified));
    await this.#tell(trigger, signal);
    const { untilMs } = certificates.judgementOf(owner.id) ?? {};
    if (untilMs === undefined) return undefined;
    return { requeueAfterMs: Math.min(untilMs - clock.now(), limits.certificateLookMs) };
  }

  async #remove(id: string): Promise<void> {
    const { gateway, policies, certificates, endpoints } = this.#options;
    endpoints.remove(id);
    const concerned = this.#claims.remove(id).union(this.#claimAgain(this.#hosts.remove(id)));
    const certified = certificates.remove(id);
    if (this.#standing.delete(id)) gateway.removeHttpRoute(id);
    certificates.show();
    this.#look(concerned.union(certified));
    await policies.remove(id);
  }

  // One that cannot be told yet is to keep nobody waiting who calls others.
  async #restoreSecrets(owner: CertificateOwner & PolicyOwner): Promise<void> {
    const { policies, certificates, logger } = this.#options;
    try {
      await policies.prepare(owner);
      await certificates.read(owner);
    } catch (error) {
      const trouble = errorMessage(error);
      logger.warn('A Trigger lets nobody through yet', { trigger: owner.id, error: trouble });
      policies.close(owner.id, trouble);
    }
  }

  #claim(trigger: HttpTrigger): ReadonlySet<string> {
    const others = this.#claimAgain(this.#hosts.set(hostClaims(trigger)));
    return others.union(this.#claimRequests(trigger));
  }

  #claimRequests(trigger: HttpTrigger): ReadonlySet<string> {
    const { id, since, source } = ownerOf(this.#granted(trigger));
    return this.#claims.set({ id, since, claims: httpClaims(source) });
  }

  /** After others have got hosts, or lost them; returns all whom that concerns. */
  #claimAgain(ids: ReadonlySet<string>): ReadonlySet<string> {
    const concerned = new Set(ids);
    for (const id of ids) {
      const standing = this.#standing.get(id);
      if (standing === undefined) continue;
      for (const other of this.#claimRequests(standing.trigger)) concerned.add(other);
    }
    return concerned;
  }

  /** With those of its hosts that its namespace may have. */
  #granted(trigger: HttpTrigger): HttpTrigger {
    const { hosts } = trigger.source;
    if (hosts === undefined) return trigger;
    const { id } = ownerOf(trigger);
    const granted = hosts.filter((host) => this.#hosts.rival(id, host) === undefined);
    return { ...trigger, source: { ...trigger.source, hosts: granted } };
  }

  #policyOf(trigger: HttpTrigger): RoutePolicy | undefined {
    return this.#options.policies.of(ownerOf(trigger).id)?.policy;
  }

  #plan(trigger: HttpTrigger): HttpRoutePlan {
    const { id, namespace, source } = ownerOf(trigger);
    const refused = (source.hosts ?? []).flatMap((host): LostMatch[] => {
      const holder = this.#hosts.rival(id, host);
      return holder === undefined ? [] : [{ what: `the host ${host}`, holder }];
    });
    const granted = this.#granted(trigger);
    const target =
      trigger.target === undefined
        ? { responder: this.#options.endpoints.responder(id) }
        : { namespace, ...trigger.target };
    const wanted = { ...granted, target };
    const { route, lost } = planHttpRoute(wanted, (claim) => this.#claims.holder(claim));
    return { route, lost: [...refused, ...lost] };
  }

  #planRoute(trigger: HttpTrigger, policy: RoutePolicy | undefined): HttpRoute {
    const { route } = this.#plan(trigger);
    return policy === undefined ? route : { ...route, policy };
  }

  #place(trigger: HttpTrigger, policy: RoutePolicy | undefined): void {
    const route = this.#planRoute(trigger, policy);
    const before = this.#standing.get(route.id)?.route;
    this.#standing.set(route.id, { trigger, route });
    if (before?.policy === route.policy && jsonEqual(before, route)) return;
    this.#options.gateway.setHttpRoute(route);
  }

  /**
   * What a Trigger gives up another one has in the same tick, in the state whose policy stands
   * (I3); its status, and a newer state, follow.
   */
  #look(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      const standing = this.#standing.get(id);
      if (standing !== undefined) this.#place(standing.trigger, standing.route.policy);
      this.#options.enqueue(parseObjectKey(id));
    }
  }

  async #tell(found: HttpTrigger, signal: AbortSignal): Promise<void> {
    const { functions, policies, certificates, status, events, endpoints } = this.#options;
    const { trigger, target } = found;
    const { namespace = '' } = trigger.metadata;
    const { id } = ownerOf(found);
    const standing: RouteStanding = {
      ...found,
      namespace,
      lost: [...this.#plan(found).lost, ...certificates.lostBy(id)],
      policy: policies.of(id),
      certificateTrouble: certificates.judgementOf(id)?.trouble,
      gatewayUrls: await this.#options.gatewayUrls,
    };
    if (target === undefined) {
      // What else there is to say is said by who delivers the events.
      endpoints.tell(id, findRouteTrouble(standing)?.message);
      await status.write(trigger, { fields: { url: routeUrl(standing) } }, signal);
      return;
    }
    const called = functions.get({ namespace, name: target.function });
    const targetTags = called === undefined ? undefined : tagsOf(called);
    const update = planTriggerStatus({ ...standing, target, targetTags });
    const written = await status.write(trigger, update, signal);
    const ready = findCondition(written?.status?.conditions, 'Ready');
    const before = findCondition(trigger.status?.conditions, 'Ready');
    if (ready === undefined || ready.reason === before?.reason) return;
    const { reason = '', message = '' } = ready;
    events.record(trigger, {
      type: ready.status === 'True' ? 'Normal' : 'Warning',
      reason,
      message,
    });
  }
}

function ownerOf({ trigger, source }: HttpTrigger): CertificateOwner & PolicyOwner {
  const { namespace = '', creationTimestamp: since = '' } = trigger.metadata;
  return { id: formatObjectKey(objectKey(trigger)), namespace, since, source };
}

function hostClaims(trigger: HttpTrigger): Claimant {
  const { id, since, source } = ownerOf(trigger);
  return { id, since, claims: source.hosts ?? [] };
}

/** `undefined` for a Function that is going. */
function tagsOf({ metadata, spec }: TargetFunction): ReadonlySet<string> | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  return new Set((spec?.traffic ?? []).flatMap(({ tag }) => tag ?? []));
}

/** `undefined` for one that is going, or has another source. */
function readHttpTrigger(object: KubeObject): HttpTrigger | undefined {
  const trigger = parseTrigger(object);
  const { source, target } = trigger.spec;
  const isGoing = trigger.metadata.deletionTimestamp !== undefined;
  if (source.http === undefined || isGoing) return undefined;
  if (source.http.events !== undefined) return { trigger, source: source.http, target: undefined };
  return isFunctionTarget(target) ? { trigger, source: source.http, target } : undefined;
}

function read(object: KubeObject): HttpTrigger | undefined {
  try {
    return readHttpTrigger(object);
  } catch (cause) {
    // It did not pass its schema: only another write can help.
    throw new ReconcileError('Terminal', errorMessage(cause), { cause });
  }
}
