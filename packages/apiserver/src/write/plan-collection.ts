import type { OwnerReference } from '@fnlet/machinery';
import type { PropagationPolicy } from '../request/delete-options.ts';
import type { GraphNode, OwnerGraph } from './owner-graph.ts';

const foregroundFinalizer = 'foregroundDeletion';
const orphanFinalizer = 'orphan';

/** One thing that the garbage collector does. */
export type CollectionStep =
  | { readonly kind: 'delete'; readonly node: GraphNode; readonly propagation: PropagationPolicy }
  /** Takes owner references with these uids off an object. */
  | { readonly kind: 'disown'; readonly node: GraphNode; readonly ownerUids: readonly string[] }
  /** Stops an object from holding up its owner, to break a cycle. */
  | { readonly kind: 'unblock'; readonly node: GraphNode }
  | { readonly kind: 'release'; readonly node: GraphNode; readonly finalizer: string };

/**
 * Decides what to do about one object (kube-controller-manager, garbagecollector): an owner that
 * goes orphans its dependents or waits for them, and an object whose owners are all gone goes too.
 * `isServed` tells whether objects of an owner's kind can be here at all.
 */
export function planCollection(
  graph: OwnerGraph,
  uid: string,
  isServed: (owner: OwnerReference) => boolean,
): readonly CollectionStep[] {
  const node = graph.get(uid);
  if (node === undefined) return [];
  if (!node.isDeleting) return planDependent(graph, node, isServed);
  if (node.finalizers.includes(orphanFinalizer)) return planOrphans(graph, node);
  if (node.finalizers.includes(foregroundFinalizer)) return planForeground(graph, node);
  return [];
}

function planOrphans(graph: OwnerGraph, node: GraphNode): readonly CollectionStep[] {
  const disowned = graph
    .dependents(node.uid)
    .map((dependent) => ({ kind: 'disown' as const, node: dependent, ownerUids: [node.uid] }));
  return [...disowned, { kind: 'release', node, finalizer: orphanFinalizer }];
}

// The dependents themselves were put to work when the owner began to wait; here only its end.
function planForeground(graph: OwnerGraph, node: GraphNode): readonly CollectionStep[] {
  const isBlocked = graph.dependents(node.uid).some((dependent) => blocks(dependent, node.uid));
  return isBlocked ? [] : [{ kind: 'release', node, finalizer: foregroundFinalizer }];
}

function blocks(dependent: GraphNode, ownerUid: string): boolean {
  return dependent.owners.some(
    ({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true,
  );
}

function planDependent(
  graph: OwnerGraph,
  node: GraphNode,
  isServed: (owner: OwnerReference) => boolean,
): readonly CollectionStep[] {
  if (node.owners.length === 0) return [];
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of node.owners) {
    const owner = graph.get(reference.uid);
    const isAbsent = owner === undefined && (graph.isGone(reference.uid) || isServed(reference));
    if (isAbsent || (owner !== undefined && !isInReach(owner, node))) dangling.push(reference);
    // Nobody here can say whether an owner of a kind that is not served exists: it counts as there.
    else if (owner === undefined) solid.push(reference);
    else if (isWaiting(owner)) waiting.push(reference);
    else solid.push(reference);
  }
  if (solid.length > 0) {
    const ownerUids = [...dangling, ...waiting].map(({ uid }) => uid);
    return ownerUids.length === 0 ? [] : [{ kind: 'disown', node, ownerUids }];
  }
  const dependents = graph.dependents(node.uid);
  if (waiting.length > 0 && dependents.length > 0) {
    // A dependent that waits for its own dependents may be waiting for this very object.
    const unblock: readonly CollectionStep[] = dependents.some(isWaiting)
      ? [{ kind: 'unblock', node }]
      : [];
    return [...unblock, { kind: 'delete', node, propagation: 'Foreground' }];
  }
  return [{ kind: 'delete', node, propagation: policyOf(node) }];
}

/** Owners live in the same namespace, or in none (KEP: cross-namespace owners are absent). */
function isInReach(owner: GraphNode, node: GraphNode): boolean {
  return owner.namespace === '' || owner.namespace === node.namespace;
}

function isWaiting(node: GraphNode): boolean {
  return node.isDeleting && node.finalizers.includes(foregroundFinalizer);
}

function policyOf(node: GraphNode): PropagationPolicy {
  if (node.finalizers.includes(orphanFinalizer)) return 'Orphan';
  return node.finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}
