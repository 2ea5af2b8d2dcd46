import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import { toKubeMicroTime, toKubeTime } from '@fnlet/machinery';
import { limits } from './limits.ts';

/** core/v1 Node, as far as this room reads it. */
export interface Node extends KubeObject {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export const nodeType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
};

export const leaseType: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** What the operating system says about the machine. */
export interface Machine {
  readonly hostname: string;
  readonly address: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  /** `linux`, `darwin`, `win32`, as Node calls them. */
  readonly platform: string;
  /** `x64`, `arm64`, as Node calls them. */
  readonly architecture: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** The Kubernetes that it stands for, such as `v1.36.0`: clients compare it with their own. */
  readonly kubernetesVersion: string;
  readonly fnletVersion: string;
}

/** The name of the node that a machine is. */
export function nodeName({ hostname }: Pick<Machine, 'hostname'>): string {
  return hostname.toLowerCase();
}

/** What the node can give to Pods: all that the machine has. */
export function nodeCapacity({ cpus, memoryBytes }: Machine): Readonly<Record<string, string>> {
  return {
    cpu: String(cpus),
    memory: `${Math.floor(memoryBytes / 1024)}Ki`,
    pods: String(limits.podsPerNode),
  };
}

/** The machine as a Node: metadata only; the status is written by itself. */
export function nodeObject(machine: Machine): KubeObject {
  const { hostname } = machine;
  const os = osName(machine);
  const arch = archName(machine);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName(machine),
      labels: {
        'kubernetes.io/hostname': hostname.toLowerCase(),
        'kubernetes.io/os': os,
        'kubernetes.io/arch': arch,
        'beta.kubernetes.io/os': os,
        'beta.kubernetes.io/arch': arch,
        'node-role.kubernetes.io/control-plane': '',
      },
    },
    spec: {},
  };
}

/** What a kubelet says about its node; `readySinceMs` is when it began to run Pods. */
export function nodeStatus(
  machine: Machine,
  times: { readonly nowMs: number; readonly readySinceMs: number },
): KubeObject['status'] {
  const heartbeat = {
    lastHeartbeatTime: toKubeTime(times.nowMs),
    lastTransitionTime: toKubeTime(times.readySinceMs),
  };
  const fine = (type: string, reason: string, message: string): object => {
    return { type, status: 'False', ...heartbeat, reason, message };
  };
  const capacity = nodeCapacity(machine);
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: 'InternalIP', address: machine.address },
      { type: 'Hostname', address: machine.hostname },
    ],
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: `fnlet://${machine.fnletVersion}`,
      kubeletVersion: machine.kubernetesVersion,
      kubeProxyVersion: '',
      operatingSystem: osName(machine),
      architecture: archName(machine),
    },
    conditions: [
      fine('MemoryPressure', 'KubeletHasSufficientMemory', 'the machine sees to its memory'),
      fine('DiskPressure', 'KubeletHasNoDiskPressure', 'the machine sees to its disk'),
      fine('PIDPressure', 'KubeletHasSufficientPID', 'the machine sees to its processes'),
      {
        type: 'Ready',
        status: 'True',
        ...heartbeat,
        reason: 'KubeletReady',
        message: 'Fnlet runs Pods as processes of this machine',
      },
    ],
  };
}

/** The heartbeat (KEP-589): a Lease that is renewed costs less than a Node that is. */
export function nodeLease(
  machine: Machine,
  owner: KubeObject,
  times: { readonly nowMs: number; readonly readySinceMs: number },
): KubeObject {
  const name = nodeName(machine);
  const { uid = '' } = owner.metadata;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: 'kube-node-lease',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: limits.leaseSeconds,
      renewTime: toKubeMicroTime(times.nowMs),
    },
  };
}

function osName({ platform }: Machine): string {
  return platform === 'win32' ? 'windows' : platform;
}

function archName({ architecture }: Machine): string {
  return architecture === 'x64' ? 'amd64' : architecture;
}
