import { type Container, isSidecar } from './container.ts';
import { type ContainerRecord, hasEnded, hasSucceeded, shouldRestart } from './container-record.ts';
import type { PodPhase, PodSpec } from './pod.ts';

/** A Pod and what is known of its containers. */
export interface PodSituation {
  readonly spec: PodSpec;
  readonly records: ReadonlyMap<string, ContainerRecord>;
  /** It must end: deleted, or too old. */
  readonly isEnding: boolean;
  readonly nowMs: number;
}

/** What to do about a Pod now. */
export interface PodPlan {
  /** Containers to start. */
  readonly start: readonly Container[];
  /** Containers to end. */
  readonly stop: readonly Container[];
  /** Containers that wait until they may be started again. */
  readonly waiting: readonly Container[];
  /** When to look again, though nothing has happened. */
  readonly wakeAtMs: number | undefined;
  /** Nothing runs, and nothing will. */
  readonly isOver: boolean;
}

const idle: PodPlan = { start: [], stop: [], waiting: [], wakeAtMs: undefined, isOver: false };

/**
 * Decides what a Pod needs now (kubelet, computePodActions): init containers one by one, sidecars
 * beside them, then the others together; restarts by policy and back-off; sidecars last to go.
 * What debugs it runs once, whatever the others do, and ends with them.
 */
export function planPod(situation: PodSituation): PodPlan {
  const { spec, records, isEnding } = situation;
  const running = allContainers(spec).filter(({ name }) => isRunning(records.get(name)));
  const phase = podPhase(spec, records);
  const isSettled = phase === 'Succeeded' || phase === 'Failed';
  if (isEnding || isSettled) {
    const others = running.filter((container) => !isSidecar(container));
    // The last to start is the first to go, once what it serves is gone.
    const sidecars = running.filter(isSidecar).slice(-1);
    return { ...idle, stop: others.length > 0 ? others : sidecars, isOver: running.length === 0 };
  }
  const step = initStep(situation);
  const wanted = step.isDone ? [...step.start, ...spec.containers] : step.start;
  return planStarts(situation, [...debugging(situation), ...wanted]);
}

/** The containers for debugging that have not run yet. */
function debugging({ spec, records }: PodSituation): readonly Container[] {
  return (spec.ephemeralContainers ?? []).filter(({ name }) => records.get(name)?.runs === 0);
}

/** Starts what is due, and tells when the rest is. */
function planStarts({ spec, records, nowMs }: PodSituation, wanted: readonly Container[]): PodPlan {
  const start: Container[] = [];
  const waiting: Container[] = [];
  let wakeAtMs = Number.POSITIVE_INFINITY;
  for (const container of wanted) {
    const record = records.get(container.name);
    if (record === undefined || isRunning(record)) continue;
    if (hasEnded(record) && !shouldRestart(spec, container, record)) continue;
    if (record.backoff.untilMs <= nowMs) {
      start.push(container);
    } else {
      waiting.push(container);
      wakeAtMs = Math.min(wakeAtMs, record.backoff.untilMs);
    }
  }
  return { ...idle, start, waiting, wakeAtMs: Number.isFinite(wakeAtMs) ? wakeAtMs : undefined };
}

/** Which init containers should run now, and whether all have done what the others wait for. */
function initStep({ spec, records }: PodSituation): {
  readonly start: readonly Container[];
  readonly isDone: boolean;
} {
  const start: Container[] = [];
  for (const container of spec.initContainers ?? []) {
    const record = records.get(container.name);
    if (record === undefined) continue;
    if (isSidecar(container)) {
      start.push(container);
      if (!record.started) return { start, isDone: false };
    } else if (!hasSucceeded(record)) {
      return { start: [...start, container], isDone: false };
    }
  }
  return { start, isDone: true };
}

/** Whether every init container has done its part. */
export function isInitialized(
  spec: PodSpec,
  records: ReadonlyMap<string, ContainerRecord>,
): boolean {
  return initStep({ spec, records, isEnding: false, nowMs: 0 }).isDone;
}

/** The one word for a Pod, of its containers alone (kubelet, getPhase). */
export function podPhase(spec: PodSpec, records: ReadonlyMap<string, ContainerRecord>): PodPhase {
  const policy = spec.restartPolicy ?? 'Always';
  const main = spec.containers.flatMap(({ name }) => records.get(name) ?? []);
  // What its sidecars do afterwards changes nothing about a Pod that is done.
  if (policy !== 'Always' && main.every(hasEnded)) {
    if (main.every(hasSucceeded)) return 'Succeeded';
    return policy === 'Never' ? 'Failed' : 'Running';
  }
  if (!isInitialized(spec, records)) {
    const hasFailed = (spec.initContainers ?? []).some((container) => {
      const record = records.get(container.name);
      return policy === 'Never' && !isSidecar(container) && record !== undefined && failed(record);
    });
    if (hasFailed) return 'Failed';
    return main.some(({ runs }) => runs > 0) ? 'Running' : 'Pending';
  }
  return main.some(({ runs }) => runs === 0) ? 'Pending' : 'Running';
}

function failed(record: ContainerRecord): boolean {
  return hasEnded(record) && record.ended?.exitCode !== 0;
}

function isRunning(record: ContainerRecord | undefined): boolean {
  return record?.state.kind === 'running';
}

function allContainers(spec: PodSpec): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
}
