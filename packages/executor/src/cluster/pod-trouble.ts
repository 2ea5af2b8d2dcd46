import type { KubeObject } from '@fnlet/machinery';

/** The part of a Pod that says why it does not run. */
export interface TroubledPod extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerTrouble[];
    readonly initContainerStatuses?: readonly ContainerTrouble[];
  };
}

interface ContainerTrouble {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
}

/** What keeps a Pod from running. */
export interface PodTrouble {
  /** In the words of scheduler and kubelet; `undefined`: nothing is known. */
  readonly message: string | undefined;
  /** Nothing more will come of it. */
  readonly isOver: boolean;
}

// A container waits for these as every one does.
const usual: readonly (string | undefined)[] = [undefined, 'ContainerCreating', 'PodInitializing'];

/** Why a Pod does not run, as its status has it: not placed, no image, killed. */
export function findPodTrouble({ status = {} }: TroubledPod): PodTrouble {
  const { phase, reason, message } = status;
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ended = all.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (phase === 'Failed' && ended !== undefined) {
    const { reason: why = 'Error', exitCode } = ended.state?.terminated ?? {};
    return { message: `its container ${ended.name} ended with ${exitCode} (${why})`, isOver };
  }
  if (isOver) return { message: [reason, message].filter(Boolean).join(': ') || undefined, isOver };
  const waiting = all.find(({ state }) => !usual.includes(state?.waiting?.reason));
  if (waiting !== undefined) {
    const { reason: why, message: detail } = waiting.state?.waiting ?? {};
    return { message: [why, detail].filter(Boolean).join(': '), isOver };
  }
  const placed = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return { message: placed?.status === 'False' ? placed.message : undefined, isOver };
}
