export type { KubeletOptions } from './kubelet-context.ts';
export type { Machine } from './node.ts';
export type { Pod } from './pod.ts';
export { createWorkloads, type Workloads, type WorkloadsOptions } from './workloads.ts';
export { WorkloadsError, type WorkloadsErrorCode } from './workloads-error.ts';
