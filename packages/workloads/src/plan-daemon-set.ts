import type { DaemonSet, DaemonSetStatus } from './daemon-set.ts';
import type { Node } from './node.ts';
import { planBinding } from './plan-binding.ts';
import { isFinished, isPodReady, isTerminating, type Pod } from './pod.ts';
import { podTemplateHash } from './pod-template-hash.ts';
import { revisionHashLabel } from './stateful-set.ts';

export interface DaemonSituation {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly Node[];
  /** The Pods that it controls. */
  readonly pods: readonly Pod[];
}

export interface DaemonPlan {
  /** Nodes that get a Pod now. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** What Pods that are made now are labelled with. */
  readonly revision: string;
  readonly status: DaemonSetStatus;
}

/** Decides the next step of a DaemonSet (daemon/daemon_controller.go): one Pod on every fit node. */
export function planDaemonSet({ daemonSet, nodes, pods }: DaemonSituation): DaemonPlan {
  const { metadata, spec } = daemonSet;
  const revision = podTemplateHash(spec.template, 0);
  const wanted = new Set(nodes.filter((node) => fits(daemonSet, node)).map(nameOf));
  const isOld = (pod: Pod): boolean => pod.metadata.labels?.[revisionHashLabel] !== revision;
  const isRenewed = spec.updateStrategy?.type !== 'OnDelete';
  const alive = pods.filter((pod) => !isTerminating(pod));
  const remove = alive.filter(
    (pod) => isFinished(pod) || !wanted.has(pod.spec.nodeName ?? '') || (isRenewed && isOld(pod)),
  );
  const placed = alive.filter((pod) => wanted.has(pod.spec.nodeName ?? '') && !isFinished(pod));
  const ready = placed.filter(isPodReady).length;
  // Also one that is on its way out still has the place.
  const taken = new Set(pods.map((pod) => pod.spec.nodeName));
  const { generation } = metadata;
  return {
    create: isTerminating(daemonSet) ? [] : [...wanted].filter((name) => !taken.has(name)),
    remove: isTerminating(daemonSet) ? [] : remove,
    revision,
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      desiredNumberScheduled: wanted.size,
      currentNumberScheduled: placed.length,
      numberMisscheduled: alive.filter((pod) => !wanted.has(pod.spec.nodeName ?? '')).length,
      numberReady: ready,
      numberAvailable: ready,
      numberUnavailable: wanted.size - ready,
      updatedNumberScheduled: placed.filter((pod) => !isOld(pod)).length,
    },
  };
}

function nameOf({ metadata }: Node): string {
  return metadata.name;
}

// Its Pods go wherever they may, cordoned nodes included.
function fits({ spec }: DaemonSet, node: Node): boolean {
  const pod: Pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'daemon' } },
    spec: { ...spec.template.spec, nodeName: '' },
  };
  const open = { ...node, spec: { ...node.spec, unschedulable: false } };
  return planBinding(pod, [open]).kind === 'bind';
}
