/**
 * Owns one Pod on this node: looks at what is wanted and what is there, acts on the difference,
 * and says in the Pod's status what it found. Level-triggered: whatever happens only asks for
 * another look.
 *
 * I1. One look at a time; a container is started and ended by looks alone.
 * I2. The status that is written is never older than one that was written before.
 * I3. A Pod object goes only when nothing of it runs any more.
 */
import {
  backoffDelayMs,
  errorMessage,
  hasCode,
  isJsonObject,
  jsonEqual,
  type Timer,
} from '@fnlet/base';
import type { ContainerExit, ProbeOutcome } from '@fnlet/executor';
import { formatObjectKey, objectKey, toKubeTime } from '@fnlet/machinery';
import { readAccountFiles, readProjectedTokens } from './account-files.ts';
import type { Container, ProbeKind } from './container.ts';
import { addRecords, type ContainerRecord, recoverRecords } from './container-record.ts';
import { ContainerSession } from './container-session.ts';
import type { KubeletContext } from './kubelet-context.ts';
import { limits } from './limits.ts';
import { type ContainerPlan, planContainer } from './plan-container.ts';
import { planPod } from './plan-pod.ts';
import { isTerminating, type Pod, type PodStatus, podType } from './pod.ts';
import { podStatus } from './pod-status.ts';
import { mustRestart, type ProbeState } from './probe-state.ts';
import { readReferences } from './read-references.ts';
import { formatBackoff, nextBackoff, noBackoff } from './restart-backoff.ts';

interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** How long it takes until what keeps a container from starting is looked at again. */
function blockedBackoff({ reason, eventReason }: Extract<ContainerPlan, { kind: 'blocked' }>): {
  readonly baseMs: number;
  readonly capMs: number;
} {
  const { restartBaseMs, restartCapMs, mountRetryBaseMs, mountRetryCapMs, missingRetryMs } = limits;
  if (reason === 'ErrImagePull') return { baseMs: restartBaseMs, capMs: restartCapMs };
  return eventReason === 'FailedMount'
    ? { baseMs: mountRetryBaseMs, capMs: mountRetryCapMs }
    : { baseMs: missingRetryMs, capMs: missingRetryMs };
}

export class PodWorker {
  readonly #context: KubeletContext;
  #pod: Pod;
  readonly #records: Map<string, ContainerRecord>;
  readonly #sessions = new Map<string, ContainerSession>();
  readonly #podIP: string;
  readonly #startedAtMs: number;
  #written: PodStatus | undefined;
  #failure: Failure | undefined;
  /** The object is gone: nothing is left to be told. */
  #isRemoved = false;
  #isStale = true;
  #wake: (() => void) | undefined;

  constructor(pod: Pod, context: KubeletContext) {
    this.#context = context;
    this.#pod = pod;
    const { status, spec } = pod;
    const nowMs = context.clock.now();
    this.#records = recoverRecords(spec, status, toKubeTime(nowMs));
    // The address outlives a restart: whoever has read it may still use it.
    this.#podIP = status?.podIP ?? context.runtime.address();
    this.#startedAtMs = status?.startTime === undefined ? nowMs : Date.parse(status.startTime);
  }

  /** Takes the newest state of the object. */
  update(pod: Pod): void {
    this.#pod = pod;
    this.#look();
  }

  /** The object is gone, whether or not this room let it go. */
  remove(): void {
    this.#isRemoved = true;
    this.#look();
  }

  /** Works until the Pod is gone, or `signal` aborts; then its processes are their runtime's. */
  async run(signal: AbortSignal): Promise<void> {
    const { logger, clock } = this.#context;
    let failures = 0;
    signal.addEventListener('abort', () => this.#look(), { once: true });
    while (!signal.aborted) {
      this.#isStale = false;
      let wakeAtMs: number | undefined;
      try {
        const look = await this.#act(signal);
        if (look === 'gone') return;
        wakeAtMs = look.wakeAtMs;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const { statusRetryBaseMs: baseMs, statusRetryCapMs: capMs } = limits;
        wakeAtMs = clock.now() + backoffDelayMs(++failures, { baseMs, capMs });
        const key = formatObjectKey(objectKey(this.#pod));
        logger.warn('Cannot run a Pod', { pod: key, error: errorMessage(error) });
      }
      await this.#sleep(wakeAtMs, signal);
    }
  }

  #look(): void {
    this.#isStale = true;
    this.#wake?.();
  }

  async #sleep(untilMs: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#isStale || signal.aborted) return;
    const { clock } = this.#context;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (untilMs !== undefined) timer = clock.after(Math.max(1, untilMs - clock.now()), resolve);
    });
    this.#wake = undefined;
    timer?.cancel();
  }

  async #act(signal: AbortSignal): Promise<'gone' | { readonly wakeAtMs: number | undefined }> {
    const { clock } = this.#context;
    const pod = this.#pod;
    addRecords(pod.spec, this.#records);
    const deadlineMs = this.#checkDeadline();
    const isLeaving = this.#isRemoved || isTerminating(pod);
    const isEnding = isLeaving || this.#failure !== undefined;
    const situation = { spec: pod.spec, records: this.#records, isEnding, nowMs: clock.now() };
    const plan = planPod(situation);
    for (const container of plan.start) await this.#start(container, signal);
    for (const container of plan.stop) this.#stop(container);
    for (const container of plan.waiting) this.#wait(container);
    const isGone = isLeaving && plan.isOver;
    if (!this.#isRemoved) await this.#writeStatus(isGone, signal);
    if (isGone) {
      await this.#letGo(signal);
      return 'gone';
    }
    const times = [plan.wakeAtMs, deadlineMs, ...(plan.start.length > 0 ? [clock.now()] : [])];
    const due = times.filter((time) => time !== undefined);
    return { wakeAtMs: due.length === 0 ? undefined : Math.min(...due) };
  }

  /** When the Pod becomes too old, if it may. */
  #checkDeadline(): number | undefined {
    const { activeDeadlineSeconds } = this.#pod.spec;
    if (activeDeadlineSeconds === undefined || this.#failure !== undefined) return undefined;
    const deadlineMs = this.#startedAtMs + activeDeadlineSeconds * 1000;
    if (deadlineMs > this.#context.clock.now()) return deadlineMs;
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#failure = { reason: 'DeadlineExceeded', message };
    this.#record('Normal', 'DeadlineExceeded', message);
    return undefined;
  }

  async #start(container: Container, signal: AbortSignal): Promise<void> {
    const { runtime, clock } = this.#context;
    const plan = await this.#plan(container, signal);
    if (signal.aborted) return;
    if (plan.kind === 'blocked') {
      this.#block(container, plan);
      return;
    }
    const { name, image } = container;
    runtime.setVolumes(plan.command.pod, plan.volumes);
    const record = this.#recordOf(container);
    const session = new ContainerSession({
      ...{ runtime, clock, container, command: plan.command, host: this.#podIP },
      key: objectKey(this.#pod),
      run: record.runs,
      onStarted: () => this.#onStarted(container),
      onProbe: (kind, state, outcome) => this.#onProbe(container, { kind, state, outcome }),
      onHookFailed: (hook, message) => this.#onHookFailed(container, hook, message),
      onExit: (exit) => this.#onExit(container, session, exit),
    });
    this.#sessions.set(name, session);
    this.#set(container, {
      state: { kind: 'running', startedAtMs: session.startedAtMs },
      ...{ started: false, ready: false },
      imageId: plan.imageId,
      containerId: `fnlet://${plan.command.pod}/${name}/${record.runs}`,
      runs: record.runs + 1,
      // What kept it from starting at all says nothing about how it will do.
      ...(record.runs === 0 ? { backoff: noBackoff } : {}),
    });
    void session.begin();
    this.#record('Normal', 'Pulled', `Runs ${plan.imageId} in place of image "${image}"`);
    this.#record('Normal', 'Created', `Created container: ${name}`);
    this.#record('Normal', 'Started', `Started container ${name}`);
  }

  async #plan(container: Container, signal: AbortSignal): Promise<ContainerPlan> {
    const context = this.#context;
    const { client, nodeName, hostIP, capacity } = context;
    const pod = this.#pod;
    const objects = await readReferences(client, pod, signal);
    const { caPem } = context.api;
    const accountFiles = await readAccountFiles(client, { pod, caPem }, signal);
    const tokens = await readProjectedTokens(client, pod, signal);
    const place = { podIP: this.#podIP, hostIP, nodeName, capacity };
    const found = { pod, place, objects, accountFiles, tokens };
    return planContainer(container, { ...found, kubelet: context });
  }

  /** It cannot be started now: says why, and when it is tried again. */
  #block(container: Container, plan: Extract<ContainerPlan, { kind: 'blocked' }>): void {
    const { reason, eventReason, message } = plan;
    const nowMs = this.#context.clock.now();
    const { backoff } = this.#recordOf(container);
    const isRefused = reason === 'ErrImagePull';
    const failures = backoff.failures + 1;
    const delayMs = backoffDelayMs(failures, blockedBackoff(plan));
    const state = { kind: 'waiting', reason, message } as const;
    this.#set(container, { state, backoff: { failures, untilMs: nowMs + delayMs } });
    const text = isRefused ? `Failed to pull image "${container.image}": ${message}` : message;
    this.#record('Warning', eventReason, eventReason === 'Failed' ? `Error: ${text}` : text);
  }

  /** Back-off between two tries of the same. */
  #wait(container: Container): void {
    const { name, image } = container;
    const { state, backoff, ended } = this.#recordOf(container);
    if (state.kind === 'waiting' && state.reason === 'ErrImagePull') {
      const message = `Back-off pulling image "${image}": ${state.message ?? ''}`;
      this.#set(container, { state: { kind: 'waiting', reason: 'ImagePullBackOff', message } });
      this.#record('Normal', 'BackOff', `Back-off pulling image "${image}"`);
    } else if (state.kind === 'terminated' && ended !== undefined) {
      const { namespace, name: pod, uid } = this.#pod.metadata;
      const where = `${pod}_${namespace}(${uid})`;
      const message = `back-off ${formatBackoff(backoff.failures)} restarting failed container=${name} pod=${where}`;
      this.#set(container, { state: { kind: 'waiting', reason: 'CrashLoopBackOff', message } });
      const text = `Back-off restarting failed container ${name} in pod ${where}`;
      this.#record('Warning', 'BackOff', text);
    }
  }

  #stop(container: Container): void {
    const session = this.#sessions.get(container.name);
    if (session === undefined) return;
    if (!session.isStopping) {
      this.#record('Normal', 'Killing', `Stopping container ${container.name}`);
    }
    session.stop(this.#graceSeconds() * 1000);
  }

  #graceSeconds(): number {
    const { metadata, spec } = this.#pod;
    if (this.#isRemoved) return 0;
    return metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  }

  #onStarted(container: Container): void {
    const started = container.startupProbe === undefined;
    this.#set(container, { started, ready: started && container.readinessProbe === undefined });
  }

  #onProbe(
    container: Container,
    result: {
      readonly kind: ProbeKind;
      readonly state: ProbeState;
      readonly outcome: ProbeOutcome;
    },
  ): void {
    const { kind, state, outcome } = result;
    const probe = container[`${kind}Probe`] ?? {};
    const word = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    if (!outcome.ok)
      this.#record('Warning', 'Unhealthy', `${word} probe failed: ${outcome.message}`);
    if (kind === 'startup' && state.isWell) {
      this.#set(container, { started: true, ready: container.readinessProbe === undefined });
    } else if (kind === 'readiness') {
      this.#set(container, { ready: state.isWell });
    }
    if (!mustRestart(kind, state, probe)) return;
    const text = `Container ${container.name} failed ${kind} probe, will be restarted`;
    this.#record('Normal', 'Killing', text);
    const graceSeconds = probe.terminationGracePeriodSeconds ?? this.#graceSeconds();
    this.#sessions.get(container.name)?.stop(graceSeconds * 1000);
  }

  #onHookFailed(container: Container, hook: 'PostStart' | 'PreStop', message: string): void {
    this.#record('Warning', `Failed${hook}Hook`, `${hook}Hook failed: ${message}`);
    if (hook === 'PostStart') this.#stop(container);
  }

  #onExit(container: Container, session: ContainerSession, exit: ContainerExit): void {
    const { clock } = this.#context;
    if (this.#sessions.get(container.name) !== session) return;
    this.#sessions.delete(container.name);
    const { startedAtMs } = session;
    const endedAtMs = clock.now();
    const { exitCode, signal, startError } = exit;
    const { backoff, containerId } = this.#recordOf(container);
    this.#set(container, {
      state: { kind: 'terminated' },
      ...{ started: false, ready: false },
      backoff: nextBackoff(backoff, { startedAtMs, endedAtMs }),
      ended: {
        exitCode,
        ...(signal === 0 ? {} : { signal }),
        reason: startError !== undefined ? 'StartError' : exitCode === 0 ? 'Completed' : 'Error',
        ...(startError === undefined ? {} : { message: startError }),
        startedAt: toKubeTime(startedAtMs),
        finishedAt: toKubeTime(endedAtMs),
        ...(containerId === undefined ? {} : { containerID: containerId }),
      },
    });
  }

  async #writeStatus(isGone: boolean, signal: AbortSignal): Promise<void> {
    const { client, clock, hostIP } = this.#context;
    const pod = this.#pod;
    const status = podStatus(
      { ...pod, status: { ...pod.status, conditions: this.#conditions() } },
      {
        ...{ records: this.#records, podIP: this.#podIP, hostIP, isGone },
        startedAtMs: this.#startedAtMs,
        nowMs: clock.now(),
        failure: this.#failure,
      },
    );
    const known = this.#written ?? pod.status;
    if (!isJsonObject(status) || jsonEqual(status, this.#written)) return;
    const changed = Object.entries(status).filter(
      ([field, value]) => !isJsonObject(known) || !jsonEqual(known[field], value),
    );
    if (changed.length > 0) {
      const { uid } = pod.metadata;
      const patch = { metadata: { uid }, status: Object.fromEntries(changed) };
      const target = { subresource: 'status', signal };
      try {
        await client.of<Pod>(podType).patch(objectKey(pod), { type: 'merge', patch }, target);
      } catch (error) {
        // Gone, or another one of this name by now: the cache will tell.
        if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
      }
    }
    this.#written = status;
  }

  // Those of others as they are now; ours as they were written, which the cache may not show yet.
  #conditions(): NonNullable<PodStatus['conditions']> {
    const ours = this.#written?.conditions ?? this.#pod.status?.conditions ?? [];
    const names = new Set(ours.map(({ type }) => type));
    const others = (this.#pod.status?.conditions ?? []).filter(({ type }) => !names.has(type));
    return [...ours, ...others];
  }

  async #letGo(signal: AbortSignal): Promise<void> {
    const { client, runtime } = this.#context;
    const { uid } = this.#pod.metadata;
    if (!this.#isRemoved) {
      const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal };
      try {
        await client.of<Pod>(podType).delete(objectKey(this.#pod), options);
      } catch (error) {
        if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
      }
    }
    if (uid !== undefined) runtime.removePod(uid);
  }

  #recordOf({ name }: Container): ContainerRecord {
    const record = this.#records.get(name);
    if (record === undefined) throw new Error(`Broken invariant: no record of container ${name}`);
    return record;
  }

  #set(container: Container, change: Partial<ContainerRecord>): void {
    this.#records.set(container.name, { ...this.#recordOf(container), ...change });
    this.#look();
  }

  #record(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.events.record(this.#pod, { type, reason, message });
  }
}
