import { formatObjectKey, type ObjectKey, parseObjectKey } from '@fnlet/machinery';
import type { RunnableRevision } from '../executor.ts';
import type { PodSupply } from './pod-supply.ts';

/** What is wanted of a Revision, as far as pools go by it. */
export interface PoolWish {
  readonly revision: RunnableRevision;
  readonly count: number;
  /** Name of the pool of its function that it takes Pods of, if it does. */
  readonly pool: string | undefined;
}

export interface OwnPoolsOptions {
  readonly supply: Pick<PodSupply, 'keepOwnPool'>;
  readonly wishes: () => Iterable<PoolWish>;
  /** Another Revision owns the Deployment of a pool. */
  readonly onOwner: (key: ObjectKey) => void;
}

/**
 * Pools of functions that are developed: which there are, and whether one more Pod is to wait.
 *
 * I1. While a Revision is awake its pool has a Pod that waits for the next one; while the function
 *     sleeps, for a while. A pool that does not fit the function any more has none.
 */
export class OwnPools {
  readonly #options: OwnPoolsOptions;
  /** What the Pods of each are made for, by the key of its Deployment. */
  readonly #made = new Map<string, RunnableRevision>();

  constructor(options: OwnPoolsOptions) {
    this.#options = options;
  }

  /** The Revision that the Pods of a pool are made for: the newest that used it. */
  get(key: ObjectKey): RunnableRevision | undefined {
    return this.#made.get(formatObjectKey(key));
  }

  /** Something else is wanted of this Revision. */
  onWish({ revision, pool }: PoolWish): void {
    if (pool !== undefined) {
      const key = { namespace: revision.namespace, name: pool };
      const before = this.get(key);
      this.#made.set(formatObjectKey(key), revision);
      if (before?.owner.uid !== revision.owner.uid) this.#options.onOwner(key);
    }
    this.#keep(revision);
  }

  /** The Deployment of a pool is gone: it comes back where it is used. */
  onDeleted(key: ObjectKey): void {
    const { supply, wishes } = this.#options;
    const isUsed = [...wishes()].some(
      ({ revision: { namespace }, pool, count }) =>
        namespace === key.namespace && pool === key.name && count > 0,
    );
    if (isUsed || !this.#made.delete(formatObjectKey(key))) return;
    supply.keepOwnPool(key.namespace, key.name, 'never');
  }

  /** I1 */
  #keep({ namespace, function: name }: RunnableRevision): void {
    const isSame = (one: RunnableRevision): boolean =>
      one.namespace === namespace && one.function === name;
    const pools = [...this.#made].filter(([, revision]) => isSame(revision));
    if (pools.length === 0) return;
    const { supply, wishes } = this.#options;
    const awake = [...wishes()].filter(({ revision, count }) => isSame(revision) && count > 0);
    for (const [id] of pools) {
      const { name: pool } = parseObjectKey(id);
      const isUsed = awake.some((wish) => wish.pool === pool);
      const other = awake.length > 0 ? 'never' : 'later';
      supply.keepOwnPool(namespace, pool, isUsed ? 'now' : other);
    }
  }
}
