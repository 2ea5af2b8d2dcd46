/**
 * Scales what HorizontalPodAutoscalers point at, whatever kind it is, by its `scale` subresource.
 *
 * I1. An autoscaler is looked at when it is written and every sync period, not more often: what it
 *     writes into its own status is no reason.
 * I2. A target is changed only as it was read: who changes it meanwhile is not overwritten.
 */
import { errorMessage, isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { type Cache, createDiscoveryCache, type DiscoveryCache } from '@fnlet/client';
import {
  type KubeObject,
  matchesLabels,
  type ObjectKey,
  parseApiVersion,
  parseLabelSelector,
  type ResourceType,
} from '@fnlet/machinery';
import { type Controller, createController, fromCache, type Result } from '@fnlet/reconcile';
import { noRecommendations, recommend } from '@fnlet/scaling';
import type { ControllerContext } from '../controller-context.ts';
import { limits } from '../limits.ts';
import type { Pod } from '../pod.ts';
import { writeStatus } from '../write-status.ts';
import { type AutoscalerHistory, rememberChange } from './decide-replicas.ts';
import {
  type AutoscalerSpec,
  type AutoscalerStatus,
  autoscalerType,
  type HorizontalPodAutoscaler,
  toleranceOf,
} from './horizontal-pod-autoscaler.ts';
import { measureMetric } from './measure-metric.ts';
import {
  type AutoscalerPlan,
  planAutoscaler,
  type TargetScale,
  withConditions,
} from './plan-autoscaler.ts';
import { type PodUse, parsePodUse, podMetricsType } from './pod-use.ts';
import { readNumbers } from './read-numbers.ts';

export interface AutoscalerCaches {
  readonly autoscalers: Cache<HorizontalPodAutoscaler>;
  /** The Pods that mirror Instances of Functions: they are scaled like all others. */
  readonly instances: Cache<Pod>;
}

/** What is known about one autoscaler, by its uid. */
interface Known {
  /** What it asked for when it was looked at; an autoscaler has no generation to tell by. */
  readonly spec: AutoscalerSpec;
  /** When it was looked at, on the monotonic clock. */
  readonly atMs: number;
  readonly history: AutoscalerHistory;
}

/** Follows autoscalers. */
export function createAutoscalerController(
  context: ControllerContext,
  caches: AutoscalerCaches,
): Controller {
  const { autoscalers } = caches;
  const { clock, logger } = context;
  const loop = new AutoscalerLoop(context, caches);
  return createController({
    name: 'horizontalpodautoscalers',
    sources: [fromCache(autoscalers)],
    reconcile: async (key, { signal }) => loop.reconcile(key, signal),
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

class AutoscalerLoop {
  readonly #context: ControllerContext;
  readonly #caches: AutoscalerCaches;
  readonly #discovery: DiscoveryCache;
  readonly #records = new Map<string, Known>();

  constructor(context: ControllerContext, caches: AutoscalerCaches) {
    const { client, clock } = context;
    this.#context = context;
    this.#caches = caches;
    this.#discovery = createDiscoveryCache(client.transport, { clock });
    caches.autoscalers.subscribe((event) => {
      if (event.kind === 'deleted') this.#records.delete(event.object.metadata.uid ?? '');
    });
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const autoscaler = this.#caches.autoscalers.get(key);
    if (autoscaler === undefined) return undefined;
    const { clock } = this.#context;
    const { metadata, spec } = autoscaler;
    const { uid = '' } = metadata;
    const record = this.#records.get(uid);
    const restMs =
      (record?.atMs ?? Number.NEGATIVE_INFINITY) + limits.autoscaleMs - clock.monotonicMs();
    // I1
    if (restMs > 0 && jsonEqual(record?.spec, spec)) return { requeueAfterMs: restMs };
    const atMs = clock.monotonicMs();
    const target = await this.#readTarget(autoscaler, signal);
    const known = record?.history ?? this.#begin(target);
    const history =
      typeof target === 'string' ? known : await this.#scale(autoscaler, target, { known, signal });
    if (typeof target === 'string') await this.#tellNoScale(autoscaler, target, signal);
    this.#records.set(uid, { spec, atMs, history });
    return { requeueAfterMs: limits.autoscaleMs };
  }

  /** What there was when it was seen first counts as recommended. */
  #begin(target: Target | string): AutoscalerHistory {
    const none = { recommendations: noRecommendations, changes: [] };
    if (typeof target === 'string') return none;
    const first = { atMs: this.#context.clock.now(), count: target.scale.replicas };
    const forever = Number.POSITIVE_INFINITY;
    const windows = { growMs: forever, shrinkMs: forever };
    return { ...none, recommendations: recommend(noRecommendations, first, windows) };
  }

  /** The target and its scale, or why there is none. */
  async #readTarget(
    { metadata, spec }: HorizontalPodAutoscaler,
    signal: AbortSignal,
  ): Promise<Target | string> {
    const { namespace = '' } = metadata;
    const { apiVersion = 'v1', kind, name } = spec.scaleTargetRef;
    try {
      const found = await this.#discovery.ofKind(apiVersion, kind, { signal });
      const { group } = parseApiVersion(apiVersion);
      if (found === undefined) return `no matches for kind "${kind}" in group "${group}"`;
      const key = { namespace, name };
      const { client } = this.#context;
      const scale = await client
        .of<KubeObject>(found.type)
        .getSubresource(key, 'scale', { signal });
      return { type: found.type, key, read: scale, scale: parseScale(scale) };
    } catch (error) {
      signal.throwIfAborted();
      return errorMessage(error);
    }
  }

  async #scale(
    autoscaler: HorizontalPodAutoscaler,
    target: Target,
    { known, signal }: { readonly known: AutoscalerHistory; readonly signal: AbortSignal },
  ): Promise<AutoscalerHistory> {
    const { clock, events } = this.#context;
    const { scale } = target;
    const now = clock.now();
    const uses = await this.#readUses(autoscaler, scale, signal);
    const numbers = await this.#readNumbers(autoscaler, signal);
    const pods = this.#podsOf(target);
    const { scaleUp, scaleDown } = autoscaler.spec.behavior ?? {};
    const tolerance = { up: toleranceOf(scaleUp), down: toleranceOf(scaleDown) };
    const { namespace } = target.key;
    const situation = { namespace, pods, uses, numbers, current: scale.replicas, tolerance, now };
    const { metrics = [] } = autoscaler.spec;
    const measure = () => metrics.map((metric) => measureMetric(metric, situation));
    const plan = planAutoscaler({ autoscaler, scale, measure, history: known, now });
    if (!(await this.#rescale(autoscaler, { target, plan }, signal))) return plan.history;
    for (const happening of plan.happenings) events.record(autoscaler, happening);
    await this.#write(autoscaler, plan.status, signal);
    if (plan.rescale === undefined) return plan.history;
    const change = { atMs: now, by: plan.rescale.replicas - scale.replicas };
    return { ...plan.history, changes: rememberChange(autoscaler.spec, plan.history, change) };
  }

  /** Changes the target if it is to; returns whether that is done, and tells why it is not. */
  async #rescale(
    autoscaler: HorizontalPodAutoscaler,
    { target, plan }: { readonly target: Target; readonly plan: AutoscalerPlan },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, events, clock } = this.#context;
    if (plan.rescale === undefined) return true;
    const { replicas, reason } = plan.rescale;
    try {
      // I2: with the version that was read.
      const body = { ...target.read, spec: { replicas } };
      const request = { subresource: 'scale', body };
      await client.of<KubeObject>(target.type).updateSubresource(target.key, request, { signal });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const text = errorMessage(error);
      const message = `New size: ${replicas}; reason: ${reason}; error: ${text}`;
      events.record(autoscaler, { type: 'Warning', reason: 'FailedRescale', message });
      const unable = `the HPA controller was unable to update the target scale: ${text}`;
      const failed = { type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale' } as const;
      const conditions = withConditions(autoscaler, [{ ...failed, message: unable }], clock.now());
      const currentReplicas = target.scale.replicas;
      await this.#write(autoscaler, { currentReplicas, conditions }, signal);
      return false;
    }
  }

  async #tellNoScale(
    autoscaler: HorizontalPodAutoscaler,
    why: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { events, clock } = this.#context;
    events.record(autoscaler, { type: 'Warning', reason: 'FailedGetScale', message: why });
    const message = `the HPA controller was unable to get the target's current scale: ${why}`;
    const failed = { type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' } as const;
    const conditions = withConditions(autoscaler, [{ ...failed, message }], clock.now());
    await this.#write(autoscaler, { conditions }, signal);
  }

  /** What the Pods use, where a metric asks for it, or why nobody knows. */
  async #readUses(
    { spec, metadata }: HorizontalPodAutoscaler,
    { selector }: TargetScale,
    signal: AbortSignal,
  ): Promise<readonly PodUse[] | string> {
    const { metrics = [] } = spec;
    if (!metrics.some(({ type }) => type.endsWith('Resource')) || selector === '') return [];
    try {
      const { namespace = '' } = metadata;
      const list = { namespace, labelSelector: selector, signal };
      const { items } = await this.#context.client.of<KubeObject>(podMetricsType).list(list);
      if (items.length === 0) return 'no metrics returned from resource metrics API';
      return items.map(parsePodUse);
    } catch (error) {
      signal.throwIfAborted();
      return `unable to fetch metrics from resource metrics API: ${errorMessage(error)}`;
    }
  }

  #readNumbers(
    { spec, metadata }: HorizontalPodAutoscaler,
    signal: AbortSignal,
  ): ReturnType<typeof readNumbers> {
    const { transport } = this.#context.client;
    const { namespace = '' } = metadata;
    const way = { transport, discovery: this.#discovery, namespace, signal };
    return readNumbers(spec.metrics ?? [], way);
  }

  #podsOf({ key: { namespace }, scale }: Target): readonly Pod[] {
    if (scale.selector === '' || scale.mistake !== undefined) return [];
    const selector = parseLabelSelector(scale.selector);
    const all = [...this.#context.pods.list(namespace), ...this.#caches.instances.list(namespace)];
    return all.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  }

  async #write(
    object: HorizontalPodAutoscaler,
    status: AutoscalerStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const client = this.#context.client.of<HorizontalPodAutoscaler>(autoscalerType);
    await writeStatus({ client, cache: this.#caches.autoscalers, object }, status, signal);
  }
}

interface Target {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** The Scale as it was read. */
  readonly read: JsonObject;
  readonly scale: TargetScale;
}

/** Reads a Scale (autoscaling/v1). */
function parseScale({ spec, status }: JsonObject): TargetScale {
  const { replicas = 0 } = isJsonObject(spec) ? spec : {};
  const { selector = '' } = isJsonObject(status) ? status : {};
  const mistake = findMistake(String(selector));
  return {
    replicas: Number(replicas),
    selector: String(selector),
    ...(mistake === undefined ? {} : { mistake }),
  };
}

function findMistake(selector: string): string | undefined {
  try {
    parseLabelSelector(selector);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
