/**
 * Makes one Function what it asks for: Revision, rollout, route, Service, history, status.
 *
 * I1. `Ready` is True only after the route has moved to the Revision that the read generation asks
 *     for: whoever sees it reaches no older code.
 * I2. What fails about the newest Revision leaves the one that serves alone.
 * I3. Same wish, same world: no write.
 */
import {
  type FunctionObject,
  functionConditions,
  functionLabel,
  functionReasons,
  functionType,
  parseFunction,
  type RevisionObject,
  syncAnnotation,
} from '@fnlet/api';
import { type Clock, errorMessage } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { Executor } from '@fnlet/executor';
import { type ConditionUpdate, type ObjectKey, objectKey, parseObjectKey } from '@fnlet/machinery';
import {
  type EventRecorder,
  type ReconcileContext,
  ReconcileError,
  type Result,
  type StatusWriter,
} from '@fnlet/reconcile';
import type { Configuration, ConfigurationReader } from './configuration-reader.ts';
import { type ConfigMap, configMapType, type Service } from './core-kinds.ts';
import { ensureService } from './ensure-service.ts';
import { findTrouble } from './find-trouble.ts';
import { type KubernetesState, revisionsOf } from './kubernetes-state.ts';
import { limits } from './limits.ts';
import { type Blocked, planConditions, type Standing } from './plan-conditions.ts';
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
import type { Traffic } from './traffic.ts';

export interface FunctionReconcilerOptions {
  readonly client: Client;
  readonly configurations: Pick<ConfigurationReader, 'read'>;
  readonly state: KubernetesState;
  readonly revisions: RevisionKeeper;
  readonly services: Pick<ResourceClient<Service>, 'create'>;
  readonly status: StatusWriter<FunctionObject>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly traffic: Traffic;
  readonly scaler: Scaler;
  readonly scaling: Pick<FunctionScaling, 'track' | 'forget' | 'lastOf' | 'conditionsOf'>;
  readonly rollouts: Rollouts;
  readonly loader: RevisionLoader;
  readonly runtimes: Pick<RuntimeKeeper, 'resolve'>;
  readonly sources: SourceTracker;
  readonly executor: Pick<Executor, 'instances'>;
  /** Why a Revision that serves cannot be loaded, if so. */
  readonly loadTrouble: (revisionId: string) => RolloutFailure | undefined;
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
    const owner = read(found);
    const runtime = this.#options.runtimes.resolve(owner.spec.runtime);
    if (runtime.kind === 'unknown') {
      const reason = functionReasons.unknownRuntime;
      return this.#block(owner, { blocked: { reason, message: runtime.message } }, signal);
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
    await this.#settle(owner, this.#standing(owner, why), signal);
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
    const { revisions, rollouts, clock } = this.#options;
    const key = objectKey(owner);
    const { generation = 0 } = owner.metadata;
    const { planned, source, configuration } = wish;
    const wanted = planned.metadata.name;
    const found = revisions.find(owner, wanted);
    const plan = planRollout({
      wanted,
      served: this.#servedName(key),
      generation,
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
      this.#direct(owner, this.#standing(owner, { wanted, source }));
      return { requeueAfterMs: limits.quickRolloutMs };
    }
    if (plan.kind === 'settled') rollouts.cancel(key);
    const untilMs = plan.kind === 'wait' ? plan.untilMs : undefined;
    const requeueAfterMs = untilMs === undefined ? undefined : untilMs - clock.now();
    const standing = this.#standing(owner, { wanted, source });
    if (requeueAfterMs !== undefined && standing.rollout?.phase !== 'failed') {
      return { requeueAfterMs };
    }
    await this.#settle(owner, standing, signal);
    if (found !== undefined) await this.#markRevision(found, standing, signal);
    await this.#prune(key, wanted, signal);
    return { requeueAfterMs };
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

  #standing(
    owner: FunctionObject,
    known: {
      readonly wanted?: string;
      readonly blocked?: Blocked;
      readonly source?: Standing['source'];
    },
  ): Standing {
    const { wanted, blocked, source = {} } = known;
    const { traffic, rollouts, executor, loadTrouble } = this.#options;
    const key = objectKey(owner);
    const servedId = traffic.servedBy(key);
    const served = servedId === undefined ? undefined : parseObjectKey(servedId).name;
    const trouble =
      servedId === undefined
        ? undefined
        : (loadTrouble(servedId) ?? findTrouble(executor.instances(servedId)));
    const rollout = rollouts.stateOf(key);
    const isNewest = served !== undefined && served === wanted;
    const runtime = this.#options.runtimes.resolve(owner.spec.runtime);
    const warning = runtime.kind === 'found' ? runtime.warning : undefined;
    return { served, isNewest, rollout, blocked, source, warning, trouble };
  }

  /** Brings route and scale to where the Function stands. */
  #direct(owner: FunctionObject, standing: Standing): readonly ConditionUpdate[] {
    const { traffic, scaler, scaling } = this.#options;
    const conditions = planConditions(standing);
    const ready = conditions.find(({ type }) => type === functionConditions.ready);
    const { reason = '', message = '' } = ready ?? {};
    traffic.refresh(owner, { reason, message });
    scaling.track(owner);
    const servedId = traffic.servedBy(objectKey(owner));
    if (servedId !== undefined) scaler.serve(servedId);
    return conditions;
  }

  /** Brings Service and status there, too. */
  async #settle(owner: FunctionObject, standing: Standing, signal: AbortSignal): Promise<void> {
    const { traffic, executor, state, services, events, status } = this.#options;
    const { runtimes, gatewayUrl } = this.#options;
    const { name, namespace = '' } = owner.metadata;
    const { scaling } = this.#options;
    const conditions = [...this.#direct(owner, standing), ...scaling.conditionsOf(owner)];
    await ensureService(owner, { client: services, cache: state.services, events, signal });
    const servedId = traffic.servedBy(objectKey(owner));
    const instances = servedId === undefined ? [] : executor.instances(servedId);
    const runtime = runtimes.resolve(owner.spec.runtime);
    const last = scaling.lastOf(objectKey(owner));
    const fields = {
      runtime: runtime.kind === 'found' ? runtime.runtime.name : null,
      revision: standing.served ?? null,
      source: standing.source.found ?? null,
      url: `${gatewayUrl}/${namespace}/${name}`,
      replicas: instances.filter(({ phase }) => phase === 'ready').length,
      selector: `${functionLabel}=${name}`,
      ...(last === undefined ? {} : { scaling: last }),
    };
    const written = await status.write(owner, { fields, conditions }, signal);
    if (written !== undefined) state.functions.observe(written);
  }

  async #markRevision(
    revision: RevisionObject,
    { isNewest, rollout }: Standing,
    signal: AbortSignal,
  ): Promise<void> {
    const { revisions, loader } = this.#options;
    const { namespace = '', name } = revision.metadata;
    if (isNewest) {
      await revisions.markReady(revision, loader.artifactOf(`${namespace}/${name}`), signal);
    } else if (rollout?.phase === 'failed') {
      await revisions.markFailed(revision, rollout.failure, signal);
    }
  }

  async #prune(key: ObjectKey, wanted: string, signal: AbortSignal): Promise<void> {
    const { state, revisions } = this.#options;
    const inUse = new Set([wanted, this.#servedName(key) ?? wanted]);
    await revisions.prune(revisionsOf(state, key), inUse, signal);
  }

  #remove(key: ObjectKey): void {
    const { traffic, scaler, scaling, rollouts, sources } = this.#options;
    sources.forget(key);
    scaling.forget(key);
    const servedId = traffic.servedBy(key);
    rollouts.cancel(key);
    traffic.remove(key);
    if (servedId !== undefined) scaler.retire(servedId);
  }

  #servedName(key: ObjectKey): string | undefined {
    const servedId = this.#options.traffic.servedBy(key);
    return servedId === undefined ? undefined : parseObjectKey(servedId).name;
  }
}

function read(found: unknown): FunctionObject {
  try {
    return parseFunction(found);
  } catch (cause) {
    // It did not pass its schema: only another write can help.
    throw new ReconcileError('Terminal', errorMessage(cause), { cause });
  }
}
