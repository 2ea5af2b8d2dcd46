import type { KubeObject, OwnerReference } from '@fnlet/machinery';

// Most objects have neither; there is a node for every object that is stored.
const noOwners: readonly OwnerReference[] = [];
const noFinalizers: readonly string[] = [];

/** An object as the garbage collector knows it. */
export interface GraphNode {
  readonly uid: string;
  readonly storeKey: string;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  readonly isDeleting: boolean;
  readonly finalizers: readonly string[];
}

/**
 * Who depends on whom, by uid.
 *
 * I1. It shows the state after the last change that it was told, and nothing else.
 * I2. `dependents` holds exactly the nodes that name the owner's uid, whether the owner is there.
 * I3. An owner that was seen to go is remembered as gone while somebody still names it.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #gone = new Set<string>();

  clear(): void {
    this.#nodes.clear();
    this.#dependents.clear();
    this.#gone.clear();
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependents(uid: string): readonly GraphNode[] {
    const found = [...(this.#dependents.get(uid) ?? [])].map((dependent) =>
      this.#nodes.get(dependent),
    );
    return found.filter((node) => node !== undefined);
  }

  /** Whether an owner was there once and is no more. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  put(storeKey: string, object: KubeObject): GraphNode {
    const { metadata } = object;
    const { uid = '', namespace = '', name } = metadata;
    const { ownerReferences: owners = noOwners, finalizers = noFinalizers } = metadata;
    this.#unlink(uid);
    const isDeleting = metadata.deletionTimestamp !== undefined;
    const node = { uid, storeKey, namespace, name, owners, isDeleting, finalizers };
    this.#nodes.set(uid, node);
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid) ?? new Set();
      this.#dependents.set(owner.uid, dependents.add(uid));
    }
    return node;
  }

  remove(uid: string): void {
    this.#unlink(uid);
    if (this.#dependents.has(uid)) this.#gone.add(uid);
  }

  #unlink(uid: string): void {
    for (const owner of this.#nodes.get(uid)?.owners ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size !== 0) continue;
      this.#dependents.delete(owner.uid);
      this.#gone.delete(owner.uid);
    }
    this.#nodes.delete(uid);
  }
}
