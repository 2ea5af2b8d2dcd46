import type { KubeObject, OwnerReference } from '@fnlet/machinery';
import { parseStoreKey } from '../object/object-keys.ts';

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
 * Who depends on whom, by uid. It knows every object that is stored, and of most of them, which
 * nobody owns and nothing holds, it keeps the key only: 100 bytes less for each.
 *
 * I1. It shows the state after the last change that it was told, and nothing else.
 * I2. `dependents` holds exactly the nodes that name the owner's uid, whether the owner is there.
 * I3. An owner that was seen to go is remembered as gone while somebody still names it.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode | string>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #gone = new Set<string>();

  clear(): void {
    this.#nodes.clear();
    this.#dependents.clear();
    this.#gone.clear();
  }

  get(uid: string): GraphNode | undefined {
    const known = this.#nodes.get(uid);
    return typeof known === 'string' ? plainNode(uid, known) : known;
  }

  dependents(uid: string): readonly GraphNode[] {
    const found = [...(this.#dependents.get(uid) ?? [])].map((dependent) => this.get(dependent));
    return found.filter((node) => node !== undefined);
  }

  /** Whether an owner was there once and is no more. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  put(storeKey: string, object: KubeObject): GraphNode {
    const { metadata } = object;
    const { uid = '', ownerReferences: owners = noOwners, finalizers = noFinalizers } = metadata;
    this.#unlink(uid);
    const isDeleting = metadata.deletionTimestamp !== undefined;
    const node = { ...plainNode(uid, storeKey), owners, isDeleting, finalizers };
    const isPlain = owners.length === 0 && finalizers.length === 0 && !isDeleting;
    this.#nodes.set(uid, isPlain ? storeKey : node);
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
    const known = this.#nodes.get(uid);
    const owners = typeof known === 'object' ? known.owners : noOwners;
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size !== 0) continue;
      this.#dependents.delete(owner.uid);
      this.#gone.delete(owner.uid);
    }
    this.#nodes.delete(uid);
  }
}

function plainNode(uid: string, storeKey: string): GraphNode {
  const { namespace, name } = parseStoreKey(storeKey);
  const owners = noOwners;
  return { uid, storeKey, namespace, name, owners, isDeleting: false, finalizers: noFinalizers };
}
