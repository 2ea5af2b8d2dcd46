/**
 * Makes one Function what it asks for: Revision, rollout, route, Service, history, status.
 *
 * I1. `Ready` is True only after the route has moved to the Revision that the read generation asks
 *     for: whoever sees it reaches no older code.
 *     One who sees it sees the Pods of the Instances that made it true, too.
 * I2. What fails about the newest Revision leaves the one that serves alone.
 * I3. Same wish, same world: no write.
 */
import {
  developmentUntilAnnotation,
  type FunctionObject,
  functionConditions,
  functionLabel,
  functionReasons,
  functionType,
  parseFunction,
  type RevisionObject,
  syncAnnotation,
} from '@fnlet/api';
import { type Clock, canonicalJson, errorMessage } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { Executor, Instance, Obstacle } from '@fnlet/executor';
import { type ConditionUpdate, formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import {
  type EventRecorder,
  type ReconcileContext,
  ReconcileError,
  type Result,
  type StatusWriter,
} from '@fnlet/reconcile';
import type { Configuration, ConfigurationReader } from './configuration-reader.ts';
import { type ConfigMap, configMapType } from './core-kinds.ts';
import { ensureService, type ServiceClient } from './ensure-service.ts';
import { type ExecutorOf, executorCondition } from './executor-condition.ts';
import { findObstacle, findTrouble } from './find-trouble.ts';
import { functionUrl } from './function-url.ts';
import { type KubernetesState, revisionsOf } from './kubernetes-state.ts';
import { limits } from './limits.ts';
import { type Blocked, planConditions, type Standing } from './plan-conditions.ts';
import { planDevelopment } from './plan-development.ts';
import { planPodChanges } from './plan-pod-changes.ts';
import { planRevision } from './plan-revision.ts';
import { planRollout } from './plan-rollout.ts';
import type { RevisionKeeper } from './revision-keeper.ts';
import type { RevisionLoader } from './revision-loader.ts';
import type { RolloutFailure } from './rollout-failure.ts';
import type { Rollouts } from './rollouts.ts';
import type { RuntimeKeeper } from './runtime-keeper.ts';
import type { Scaler } from './scaler.ts';
import type { FunctionScaling } from './scaling/function-scaling.ts';
import { resolveConfigMap } from './source/config-map-files.ts';
import type { ResolvedSource } from './source/resolved-source.ts';
import type { SourceTracker } from './source/source-tracker.ts';
import type { Takeovers } from './traffic/takeovers.ts';
import type { Traffic } from './traffic/traffic.ts';

export interface FunctionReconcilerOptions {
  readonly client: Client;
  readonly configurations: Pick<ConfigurationReader, 'read'>;
  readonly state: KubernetesState;
  readonly revisions: RevisionKeeper;
  readonly services: ServiceClient;
  readonly status: StatusWriter<FunctionObject>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly traffic: Traffic;
  readonly takeovers: Takeovers;
  readonly scaler: Pick<Scaler, 'retire'>;
  readonly scaling: Pick<
    FunctionScaling,
    'track' | 'forget' | 'lastOf' | 'forgetLast' | 'conditionsOf'
  >;
  readonly rollouts: Rollouts;
  readonly loader: RevisionLoader;
  readonly runtimes: Pick<RuntimeKeeper, 'resolve'>;
  readonly sources: SourceTracker;
  readonly executor: Pick<Executor, 'instances'>;
  /** Resolves once whoever looks at Pods sees these Instances. */
  readonly untilShown: (instances: readonly Instance[]) => Promise<void>;
  /** Why a Revision that serves cannot be loaded, if so. */
  readonly loadTrouble: (revisionId: string) => RolloutFailure | undefined;
  readonly executorOf?: ExecutorOf | undefined;
  readonly gatewayUrl: string;
  readonly clock: Clock;
}

export class FunctionReconciler {
  readonly #options: FunctionReconcilerOptions;

  constructor(options: FunctionReconcilerOptions) {
    this.#options = options;
  }

  /** One run for one Function; see `Reconcile` of the reconcile room. */
  async reconcile(key: ObjectKey, { signal }: ReconcileContext): Promise<Result | undefined> {
    const found = await this.#find(key, signal);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
      this.#remove(key);
      return undefined;
    }
    const { owner, leftMs } = planDevelopment(read(found), this.#options.clock.now());
    const result = await this.#make(owner, signal);
    if (leftMs === undefined) return result;
    return { ...result, requeueAfterMs: Math.min(leftMs, result?.requeueAfterMs ?? leftMs) };
  }

  async #make(owner: FunctionObject, signal: AbortSignal): Promise<Result | undefined> {
    const key = objectKey(owner);
    const runtime = this.#options.runtimes.resolve(owner.spec.runtime);
    if (runtime.kind === 'unknown') {
      const reason = functionReasons.unknownRuntime;
      return this.#block(owner, { blocked: { reason, message: runtime.message } }, signal);
    }
    const executor = this.#options.executorOf?.(owner.spec);
    if (executor?.kind === 'unfit') {
      const blocked = { reason: functionReasons.executorUnfit, message: executor.message };
      return this.#block(owner, { blocked }, signal);
    }
    const source = await this.#resolveSource(owner, signal);
    if (source.kind === 'unresolved') {
      return this.#block(owner, { blocked: source, source }, signal);
    }
    const wanted = { namespace: key.namespace, spec: owner.spec };
    const configuration = await this.#options.configurations.read(wanted, signal);
    if (configuration.kind === 'blocked') {
      await this.#block(owner, { blocked: configuration, source }, signal);
      const isAccount = configuration.reason === functionReasons.serviceAccountNotFound;
      return isAccount ? { requeueAfterMs: limits.accountLookMs } : undefined;
    }
    await this.#options.loader.refresh(key, configuration.mounts);
    const planned = planRevision(owner, source.source, configuration.digest);
    return this.#rollOut(owner, { planned, source, configuration }, signal);
  }

  async #resolveSource(owner: FunctionObject, signal: AbortSignal): Promise<ResolvedSource> {
    const { client, state, sources } = this.#options;
    const { source } = owner.spec;
    const { configMap, git, archive } = source;
    const key = objectKey(owner);
    const secret = (git ?? archive)?.secretRef?.name;
    const version = secret === undefined ? undefined : state.secrets.get({ ...key, name: secret });
    const tracked = sources.track({
      key,
      source,
      known: owner.status?.source,
      sync: owner.metadata.annotations?.[syncAnnotation],
      secretVersion: version?.metadata.resourceVersion,
    });
    if (configMap === undefined) return tracked;
    const configMaps = client.of<ConfigMap>(configMapType);
    const found = await configMaps.tryGet({ ...key, name: configMap.name }, { signal });
    return resolveConfigMap(configMap, found);
  }

  /** What the Function needs is not there: what serves goes on, and the status says it. */
  async #block(
    owner: FunctionObject,
    why: { readonly blocked: Blocked; readonly source?: Standing['source'] },
    signal: AbortSignal,
  ): Promise<undefined> {
    this.#options.rollouts.cancel(objectKey(owner));
    await this.#settle(owner, this.#bring(owner, why), signal);
  }

  /** The Function with its source, which the cache does not keep. */
  async #find(key: ObjectKey, signal: AbortSignal): Promise<FunctionObject | undefined> {
    const { client, state } = this.#options;
    if (state.functions.get(key) === undefined) return undefined;
    const found = await client.of<FunctionObject>(functionType).tryGet(key, { signal });
    // What is acted on here is never newer than what the others see.
    if (found !== undefined) state.functions.observe(found);
    return found;
  }

  async #rollOut(
    owner: FunctionObject,
    wish: {
      readonly planned: RevisionObject;
      readonly source: Standing['source'];
      readonly configuration: Configuration;
    },
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { revisions, rollouts, takeovers, clock } = this.#options;
    const key = objectKey(owner);
    const { generation = 0 } = owner.metadata;
    const { planned, source, configuration } = wish;
    const wanted = planned.metadata.name;
    const found = revisions.find(owner, wanted);
    const isProven = takeovers.settles(owner, wanted);
    const plan = planRollout({
      wanted,
      isSettled: isProven,
      generation,
      isReconfigured: isReconfigured(rollouts.configurationOf(key), configuration),
      isLost: found === undefined,
      rollout: rollouts.stateOf(key),
      now: clock.now(),
    });
    if (plan.kind === 'start') {
      // The source is stored while the Revision is written; no code runs before both are there.
      const recorded = this.#ensureRevision(owner, planned, signal).catch((error: unknown) => {
        rollouts.cancel(key);
        throw error;
      });
      const { attempt } = plan;
      rollouts.start({ key, revision: planned, recorded, configuration, generation, attempt });
      await recorded;
      // Most are done before a status that says that they have begun could be read.
      this.#tell(owner, this.#bring(owner, { isProven, source }));
      return { requeueAfterMs: limits.quickRolloutMs };
    }
    if (plan.kind === 'settled') rollouts.cancel(key);
    const untilMs = plan.kind === 'wait' ? plan.untilMs : undefined;
    const standing = this.#bring(owner, { isProven, source });
    if (untilMs !== undefined && standing.rollout?.phase !== 'failed') {
      return { requeueAfterMs: untilMs - clock.now() };
    }
    const begun = this.#begun(owner);
    await this.#settle(owner, standing, signal);
    await this.#record({ found, begun, standing }, signal);
    const inUse = new Set([wanted, ...takeovers.inUse(owner)]);
    await revisions.prune(revisionsOf(this.#options.state, key), inUse, signal);
    const dueAtMs = Math.min(untilMs ?? never, takeovers.dueAtMs(owner) ?? never);
    return dueAtMs === never ? undefined : { requeueAfterMs: Math.max(0, dueAtMs - clock.now()) };
  }

  /** Notes with the Revisions what became of them. */
  async #record(
    news: {
      /** The one that the Function asks for. */
      readonly found: RevisionObject | undefined;
      readonly begun: readonly RevisionObject[];
      readonly standing: Standing;
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { revisions, loader, clock } = this.#options;
    const { found, begun, standing } = news;
    const { isProven, rollout } = standing;
    for (const revision of new Set(found !== undefined && isProven ? [...begun, found] : begun)) {
      const artifact = loader.artifactOf(formatObjectKey(objectKey(revision)));
      const servedAtMs = begun.includes(revision) ? clock.now() : undefined;
      await revisions.markReady(revision, { artifact, servedAtMs }, signal);
    }
    if (found !== undefined && !isProven && rollout?.phase === 'failed') {
      await revisions.markFailed(found, rollout.failure, signal);
    }
  }

  async #ensureRevision(
    owner: FunctionObject,
    planned: RevisionObject,
    signal: AbortSignal,
  ): Promise<RevisionObject> {
    const { revisions, events } = this.#options;
    const { revision, isNew } = await revisions.ensure(owner, planned, signal);
    const { name } = revision.metadata;
    const message = `Created Revision ${name}`;
    if (isNew) events.record(owner, { type: 'Normal', reason: 'RevisionCreated', message });
    return revision;
  }

  /** Brings route and scale to what the Function wants; tells where it stands then. */
  #bring(
    owner: FunctionObject,
    known: {
      readonly isProven?: boolean;
      readonly blocked?: Blocked;
      readonly source?: Standing['source'];
    },
  ): Standing {
    const { isProven = false, blocked, source = {} } = known;
    const { takeovers, scaling, rollouts, runtimes, clock } = this.#options;
    scaling.track(owner);
    const detour = takeovers.direct(owner);
    const runtime = runtimes.resolve(owner.spec.runtime);
    const rollout = rollouts.stateOf(objectKey(owner));
    const { shortage } = detour;
    const cause =
      this.#troubleOf(owner, shortage?.revision) ?? this.#obstacleOf(owner, shortage?.revision);
    return {
      ...takeovers.describe(owner),
      isProven,
      detour,
      cause: cause?.message,
      isLate: detour.lateAtMs !== undefined && detour.lateAtMs <= clock.now(),
      rollout,
      obstacle: this.#obstacleOf(owner, rollout?.revision),
      blocked,
      source,
      warning: runtime.kind === 'found' ? runtime.warning : undefined,
      trouble: this.#trouble(owner),
    };
  }

  /** Why a Revision that calls go to has nobody to serve them. */
  #trouble(owner: FunctionObject): RolloutFailure | undefined {
    const { shares } = this.#options.traffic.stateOf(objectKey(owner));
    for (const { revision, percent } of shares) {
      const trouble = percent > 0 ? this.#troubleOf(owner, revision.name) : undefined;
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  #troubleOf({ metadata }: FunctionObject, name: string | undefined): RolloutFailure | undefined {
    const { executor, loadTrouble } = this.#options;
    const id = `${metadata.namespace}/${name}`;
    return name === undefined
      ? undefined
      : (loadTrouble(id) ?? findTrouble(executor.instances(id)));
  }

  /** What keeps an Instance of this Revision from starting. */
  #obstacleOf({ metadata }: FunctionObject, name: string | undefined): Obstacle | undefined {
    if (name === undefined) return undefined;
    return findObstacle(this.#options.executor.instances(`${metadata.namespace}/${name}`));
  }

  /** Puts it into words; callers hear them as long as nothing serves. */
  #tell(owner: FunctionObject, standing: Standing): readonly ConditionUpdate[] {
    const conditions = planConditions(standing);
    const ready = conditions.find(({ type }) => type === functionConditions.ready);
    const { reason = '', message = '' } = ready ?? {};
    this.#options.traffic.update(owner, {}, { reason, message });
    return conditions;
  }

  /** Brings Service and status there, too. */
  async #settle(owner: FunctionObject, standing: Standing, signal: AbortSignal): Promise<void> {
    const { traffic, takeovers, executor, state, services, events, status } = this.#options;
    const { runtimes, gatewayUrl } = this.#options;
    const { name } = owner.metadata;
    const { scaling, executorOf } = this.#options;
    const instances = traffic.revisionsOf(objectKey(owner)).flatMap((id) => executor.instances(id));
    const conditions = [
      ...this.#tell(owner, standing),
      ...scaling.conditionsOf(owner),
      ...executorCondition(executorOf?.(owner.spec), {
        obstacle: standing.obstacle ?? findObstacle(instances),
        ended: this.#developmentEnd(owner),
        changes: this.#podChanges(owner, standing),
      }),
    ];
    await ensureService(owner, { client: services, cache: state.services, events, signal });
    const urlOf = (called: string): string => functionUrl(owner, called, gatewayUrl);
    const runtime = runtimes.resolve(owner.spec.runtime);
    const last = scaling.lastOf(objectKey(owner));
    const fields = {
      runtime: runtime.kind === 'found' ? runtime.runtime.name : null,
      ...takeovers.statusOf(owner, urlOf),
      source: standing.source.found ?? null,
      url: urlOf(name),
      replicas: instances.filter(({ phase }) => phase === 'ready').length,
      selector: `${functionLabel}=${name}`,
      ...(last === undefined ? {} : { scaling: last }),
    };
    // Only then: a wake changes nothing about Ready, and has its Pods written when all is quiet.
    if (becomesReady(owner, conditions)) {
      await this.#options.untilShown(instances.filter(({ phase }) => phase === 'ready'));
    }
    const written = await status.write(owner, { fields, conditions }, signal);
    scaling.forgetLast(objectKey(owner), last);
    if (written !== undefined) state.functions.observe(written);
  }

  /** Since when it is not developed any more, although it says so. */
  #developmentEnd({ metadata, spec }: FunctionObject): string | undefined {
    const { namespace = '', name } = metadata;
    const told = this.#options.state.functions.get({ namespace, name });
    const isOver = told?.spec.development === true && spec.development !== true;
    return isOver ? metadata.annotations?.[developmentUntilAnnotation] : undefined;
  }

  /** For what the Revision that is on its way needs other Pods than the one that serves. */
  #podChanges(owner: FunctionObject, { served, isProven }: Standing): readonly string[] {
    if (isProven || served === undefined) return [];
    const found = this.#options.revisions.find(owner, served);
    return found === undefined ? [] : planPodChanges(found.spec, owner.spec);
  }

  /** The Revisions that calls go to, and did not before: `fnlet rollback` goes by their order. */
  #begun(owner: FunctionObject): readonly RevisionObject[] {
    const { traffic, revisions } = this.#options;
    const { revision: main, traffic: before = [] } = owner.status ?? {};
    const served = new Set([
      main,
      ...before.map(({ revision, percent }) => percent > 0 && revision),
    ]);
    return traffic.stateOf(objectKey(owner)).shares.flatMap(({ revision: { name }, percent }) => {
      const found = percent > 0 ? revisions.find(owner, name) : undefined;
      if (found === undefined) return [];
      return served.has(name) && found.status?.servedAt !== undefined ? [] : [found];
    });
  }

  #remove(key: ObjectKey): void {
    const { traffic, takeovers, scaler, scaling, rollouts, sources } = this.#options;
    sources.forget(key);
    scaling.forget(key);
    const left = traffic.revisionsOf(key);
    rollouts.cancel(key);
    takeovers.forget(key);
    traffic.remove(key);
    for (const id of left) scaler.retire(id);
  }
}

function becomesReady(
  { metadata, status }: FunctionObject,
  conditions: readonly ConditionUpdate[],
): boolean {
  const isReady = ({ type, status: value }: ConditionUpdate): boolean =>
    type === functionConditions.ready && value === 'True';
  const before = status?.conditions?.find(isReady);
  return conditions.some(isReady) && before?.observedGeneration !== metadata.generation;
}

const never = Number.POSITIVE_INFINITY;

function read(found: unknown): FunctionObject {
  try {
    return parseFunction(found);
  } catch (cause) {
    // It did not pass its schema: only another write can help.
    throw new ReconcileError('Terminal', errorMessage(cause), { cause });
  }
}

function isReconfigured(before: Configuration | undefined, now: Configuration): boolean {
  return before !== undefined && canonicalJson(before.registry) !== canonicalJson(now.registry);
}
