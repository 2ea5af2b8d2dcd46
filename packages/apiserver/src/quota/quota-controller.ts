import { isJsonObject, jsonEqual, type Timer } from '@fnlet/base';
import type { KubeObject, Quantity } from '@fnlet/machinery';
import type { Change } from '@fnlet/store';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { ControllerLoop, type Observed } from '../controllers/controller-loop.ts';
import { controllerManager } from '../crd/crd-controller.ts';
import { withFields } from '../object/object-form.ts';
import { objectsPrefix, parseStoreKey } from '../object/object-keys.ts';
import type { Resource } from '../resource/resource.ts';
import { type Proposal, updateObject } from '../write/update.ts';
import { countUsage } from './count-usage.ts';
import type { Evaluator } from './evaluator.ts';
import { evaluatorOf } from './evaluators.ts';
import { parseQuota, type Quota } from './quota.ts';
import { usageUnder } from './quota-usage.ts';
import { quotasPrefix } from './quotas.ts';
import { sameUsage, showUsage, type Usage } from './usage.ts';

/**
 * Counts what quotas bound, where admission has not done so: for a new or changed quota, and when
 * objects go, use less, or were made by the server itself.
 *
 * I1. Without quotas it follows nothing but quotas.
 * I2. It follows all objects from before the first count on, so that what comes too late for a
 *     count makes the next one.
 * I3. A status is written only when it says something else, and not in the turn of a write that is
 *     charged: none of the two takes the other back.
 * I4. A quota waits for one moment at most, the first at which something stops to count by itself.
 */
export class QuotaController {
  readonly #context: ApiContext;
  readonly #resource: Resource;
  /** When to count again without a change, by key of a quota. */
  readonly #looks = new Map<string, { readonly atMs: number; readonly timer: Timer }>();
  #unfollow: (() => void) | undefined;
  readonly #loop: ControllerLoop;

  constructor(context: ApiContext, resource: Resource) {
    this.#context = context;
    this.#resource = resource;
    this.#loop = new ControllerLoop(context, {
      name: 'quota controller',
      prefix: quotasPrefix,
      observe: (change) => this.#observe(change),
      reconcile: (key) => this.#reconcile(key),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#loop.run(signal);
    this.#stop();
    for (const { timer } of this.#looks.values()) timer.cancel();
  }

  #observe({ key, value, previous }: Observed): readonly string[] {
    if (value === undefined) {
      if (this.#context.store.count(quotasPrefix) === 0) this.#stop();
      return [];
    }
    this.#follow();
    const isSame = previous !== undefined && jsonEqual(previous.spec, value.spec);
    return isSame ? [] : [key];
  }

  /** I2 */
  #follow(): void {
    this.#unfollow ??= this.#context.store.subscribe(objectsPrefix, {
      changed: (change) => this.#onObject(change),
      ended: () => this.#stop(),
    });
  }

  #stop(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  #onObject(change: Change): void {
    const { quotas } = this.#context;
    const { group, plural, namespace } = parseStoreKey(change.key);
    if (namespace === '' || !quotas.countIn(namespace)) return;
    if (this.#isTampered(change)) this.#loop.enqueue(change.key);
    const evaluator = evaluatorOf({ group, plural });
    if (evaluator === undefined) return;
    for (const { key, quota } of quotas.of(namespace)) {
      if (!quota.wanted.keys().some(evaluator.counts)) continue;
      if (this.#isNews(change, quota, evaluator)) this.#loop.enqueue(key);
      const endsAtMs = change.value && evaluator.endsAtMs?.(change.value);
      if (endsAtMs !== undefined) this.#lookAt(key, endsAtMs);
    }
  }

  /** Whether the status of a quota was written by somebody who has not counted. */
  #isTampered({ key, value, previous }: Change): boolean {
    if (!key.startsWith(quotasPrefix) || value === undefined || previous === undefined)
      return false;
    return !this.#context.quotas.isCounted(key) && !jsonEqual(previous.status, value.status);
  }

  /** Whether the change makes the quota's count another one, and nobody has charged it. */
  #isNews(change: Change, quota: Quota, evaluator: Evaluator): boolean {
    const { quotas, clock } = this.#context;
    const now = clock.now();
    const isNew = change.previousText === undefined;
    if (isNew && quotas.isCounted(change.key)) return false;
    // Whatever it says, it counts as one.
    if (evaluator.usageOf === undefined && !isNew && change.text !== undefined) return false;
    const use = (object: unknown): Usage =>
      isJsonObject(object) ? usageUnder(quota, evaluator, { object, now }) : new Map();
    return !sameUsage(use(change.previous), use(change.value));
  }

  /** I4 */
  #lookAt(key: string, atMs: number): void {
    const { clock } = this.#context;
    const known = this.#looks.get(key);
    if (known !== undefined && known.atMs <= atMs) return;
    known?.timer.cancel();
    const look = (): void => {
      this.#looks.delete(key);
      this.#loop.enqueue(key);
    };
    // What ends at a time still counts at that time.
    const timer = clock.after(Math.max(0, atMs - clock.now()) + 1, look);
    this.#looks.set(key, { atMs, timer });
  }

  async #reconcile(key: string): Promise<undefined> {
    const { quotas } = this.#context;
    const { namespace, name } = parseStoreKey(key);
    const propose = async (current: KubeObject): Promise<Proposal> => {
      const counted = await countUsage(this.#context, namespace, parseQuota(current));
      if (counted.changesAtMs !== undefined) this.#lookAt(key, counted.changesAtMs);
      return { object: withUsage(current, counted.used), manager: controllerManager };
    };
    try {
      await quotas.inTurn(namespace, () =>
        quotas.counting([key], () =>
          updateObject(this.#context, this.#resource, {
            ...{ key: { namespace, name }, subresource: 'status', dryRun: false, propose },
          }),
        ),
      );
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    return undefined;
  }
}

/** The quota with a status that says this; the same object where it does already. */
function withUsage(object: KubeObject, counted: Usage): KubeObject {
  const { wanted, hard, used } = parseQuota(object);
  // What nobody counts stays what it was.
  const next = new Map<string, Quantity>();
  for (const name of wanted.keys()) {
    const amount = counted.get(name) ?? used.get(name);
    if (amount !== undefined) next.set(name, amount);
  }
  const isSame = sameUsage(wanted, hard) && sameUsage(next, used);
  if (isSame && isJsonObject(object.status)) return object;
  const status = {
    ...(wanted.size === 0 ? {} : { hard: showUsage(wanted) }),
    ...(next.size === 0 ? {} : { used: showUsage(next) }),
  };
  return withFields(object, { status });
}
