import { type Container, isSidecar } from './container.ts';
import type { ContainerStatus, PodSpec, PodStatus, TerminatedState } from './pod.ts';
import { noBackoff, type RestartBackoff } from './restart-backoff.ts';

/** What is known of one container of a Pod. */
export interface ContainerRecord {
  readonly name: string;
  readonly state:
    | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
    | { readonly kind: 'running'; readonly startedAtMs: number }
    | { readonly kind: 'terminated' };
  /** How the latest run that is over ended. */
  readonly ended: TerminatedState | undefined;
  /** Runs so far. */
  readonly runs: number;
  /** As its startup probe says; without one, from its start. */
  readonly started: boolean;
  /** As its readiness probe says; without one, while it runs. */
  readonly ready: boolean;
  readonly imageId: string;
  readonly containerId: string | undefined;
  readonly backoff: RestartBackoff;
}

/** A container that was never started, of a Pod with init containers or without. */
export function newRecord(name: string, hasInit: boolean): ContainerRecord {
  return {
    name,
    state: { kind: 'waiting', reason: hasInit ? 'PodInitializing' : 'ContainerCreating' },
    ended: undefined,
    runs: 0,
    started: false,
    ready: false,
    imageId: '',
    containerId: undefined,
    backoff: noBackoff,
  };
}

/** Whether a run of it is over, and none has begun since. */
export function hasEnded({ state, ended }: ContainerRecord): boolean {
  return ended !== undefined && state.kind !== 'running';
}

/** Whether it did all that it was there for. */
export function hasSucceeded(record: ContainerRecord): boolean {
  return hasEnded(record) && record.ended?.exitCode === 0;
}

/** Whether the Pod wants another run of a container after this one. */
export function shouldRestart(
  spec: PodSpec,
  container: Container,
  record: ContainerRecord,
): boolean {
  if (isSidecar(container)) return true;
  const isInit = (spec.initContainers ?? []).includes(container);
  const policy = spec.restartPolicy ?? 'Always';
  // An init container is there to succeed once, whatever happens to the others afterwards.
  if (policy === 'Always' && !isInit) return true;
  return policy !== 'Never' && record.ended?.exitCode !== 0;
}

/**
 * The records of a Pod that an earlier life of this process ran: its processes ended with it, as
 * when a machine is switched off.
 */
export function recoverRecords(
  spec: PodSpec,
  status: PodStatus | undefined,
  now: string,
): Map<string, ContainerRecord> {
  const records = new Map<string, ContainerRecord>();
  // A name is there once in a Pod, whatever the container is for.
  const known = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const hasInit = (spec.initContainers ?? []).length > 0;
  const recover = (container: Container, waitsForInit: boolean): void => {
    const found = known.find(({ name }) => name === container.name);
    const fresh = newRecord(container.name, waitsForInit);
    records.set(container.name, found === undefined ? fresh : recoverRecord(fresh, found, now));
  };
  for (const container of spec.initContainers ?? []) recover(container, hasInit);
  for (const container of spec.containers) recover(container, hasInit);
  for (const container of spec.ephemeralContainers ?? []) recover(container, false);
  return records;
}

/** Adds what was put into a Pod since, to debug the others. */
export function addRecords(spec: PodSpec, records: Map<string, ContainerRecord>): void {
  for (const { name } of spec.ephemeralContainers ?? []) {
    if (!records.has(name)) records.set(name, newRecord(name, false));
  }
}

function recoverRecord(
  fresh: ContainerRecord,
  status: ContainerStatus,
  now: string,
): ContainerRecord {
  const { state = {}, lastState = {}, restartCount, imageID } = status;
  const lost: TerminatedState | undefined = state.running && {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container ended with the Fnlet that ran it',
    startedAt: state.running.startedAt,
    finishedAt: now,
  };
  const ended = lost ?? state.terminated ?? lastState.terminated;
  if (ended === undefined) return fresh;
  return {
    ...fresh,
    state: { kind: 'terminated' },
    ended,
    runs: restartCount + 1,
    imageId: imageID,
    containerId: ended.containerID,
  };
}
