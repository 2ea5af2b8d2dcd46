/**
 * Owns the Instances: which are wanted, which exist, and what each of them is doing. It knows
 * neither processes nor files; Runners come from a RunnerSupply and their output goes to an
 * OutputKeeper.
 *
 * I1. Everything that happens goes through one inbox and is finished before the next: a listener
 *     may call the executor, and still every listener sees every event once, in order.
 * I2. An input that arrives from outside is handled in the same tick.
 * I3. Instances that are not draining are as many as wanted, after every input.
 * I4. A name is used by one Instance only, for as long as this loop lives.
 */
import {
  type Clock,
  errorMessage,
  type Logger,
  type Random,
  randomName,
  unreachable,
} from '@fnlet/base';
import type { ServiceAddress, Specialisation } from '@fnlet/invocation';
import {
  type EnsureOptions,
  type Executor,
  hasFailed,
  type Instance,
  type InstanceEvent,
  type Obstacle,
  type RunnableRevision,
} from './executor.ts';
import { type InstanceNode, instanceEnvironment } from './instance-environment.ts';
import { Member } from './instance-member.ts';
import { planInstances } from './instance-plan.ts';
import {
  type InstanceEffect,
  type InstanceInput,
  startInstance,
  stepInstance,
} from './instance-state.ts';
import { LastOutput } from './last-output.ts';
import { limits } from './limits.ts';
import type { OutputKeeper } from './output-keeper.ts';
import { isRunner, type Runner, type RunnerEvent, type RunnerSupply } from './runner.ts';

export interface InstanceLoopOptions {
  readonly supply: RunnerSupply;
  readonly output: OutputKeeper;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly untilUncalled?: UntilUncalled;
  readonly node: InstanceNode;
  /** Where names of Services lead, once it is known. */
  readonly services?: () => ServiceAddress | undefined;
}

/**
 * Resolves once no call is on its way to an Instance that takes no new ones. Without it, a call
 * that was sent in the tick in which its Instance was told to end would be lost. It is told how
 * long that may take: then the Instance is ended anyway.
 */
export type UntilUncalled = (instance: Instance, withinMs: number) => Promise<void>;

interface RevisionGroup {
  revision: RunnableRevision;
  wanted: number;
  /** Nobody waits for its Instances. */
  isTrial: boolean;
  /** Oldest first. */
  readonly members: Set<Member>;
}

export class InstanceLoop implements Executor {
  readonly #options: InstanceLoopOptions;
  readonly #groups = new Map<string, RevisionGroup>();
  readonly #members = new Map<string, Member>();
  readonly #listeners = new Set<(event: InstanceEvent) => void>();
  readonly #inbox: (() => void)[] = [];
  #working = false;
  #closing: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(options: InstanceLoopOptions) {
    this.#options = options;
  }

  ensure(revision: RunnableRevision, count: number, { trial = false }: EnsureOptions = {}): void {
    this.#handle(() => {
      if (this.#closing !== undefined) return;
      const wanted = Math.min(count, limits.instancesPerRevisionMax);
      const known = this.#groups.get(revision.id);
      const group = known ?? { revision, wanted, isTrial: trial, members: new Set() };
      group.revision = revision;
      group.wanted = wanted;
      group.isTrial = trial;
      this.#groups.set(revision.id, group);
      this.#settle(group);
    });
  }

  instances(revisionId?: string): readonly Instance[] {
    const members =
      revisionId === undefined ? this.#members.values() : this.#groups.get(revisionId)?.members;
    return Array.from(members ?? [], (member) => member.instance);
  }

  evict(instanceId: string, graceMs: number): void {
    this.#handle(() => {
      const member = this.#members.get(instanceId);
      if (member === undefined) return;
      this.#step(member, { type: 'drain', graceMs });
      const group = this.#groups.get(member.revision.id);
      if (group !== undefined) this.#settle(group);
    });
  }

  subscribe(listener: (event: InstanceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(graceMs: number = limits.closeMs): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(graceMs: number): Promise<void> {
    const { clock, supply } = this.#options;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    this.#handle(() => this.#drainAll(graceMs));
    const deadline = clock.after(graceMs, () => this.#handle(() => this.#drainAll(0)));
    if (this.#members.size > 0) await empty;
    deadline.cancel();
    await supply.close();
  }

  #drainAll(graceMs: number): void {
    for (const group of this.#groups.values()) group.wanted = 0;
    for (const member of this.#members.values()) {
      const ownGraceMs = Math.min(graceMs, member.revision.limits.drainMs);
      this.#step(member, { type: 'drain', graceMs: ownGraceMs });
    }
  }

  #handle(work: () => void): void {
    this.#inbox.push(work);
    if (this.#working) return;
    this.#working = true;
    try {
      for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) next();
    } finally {
      this.#working = false;
    }
  }

  #settle(group: RevisionGroup): void {
    const active = [...group.members].filter(({ isWanted }) => isWanted);
    const plan = planInstances(
      active.map(({ id, state }) => ({ id, phase: state.phase })),
      group.wanted,
    );
    for (let i = 0; i < plan.start; i++) this.#add(group);
    for (const id of plan.drain) {
      const member = this.#members.get(id);
      const graceMs = group.revision.limits.drainMs;
      if (member !== undefined) this.#step(member, { type: 'drain', graceMs });
    }
    this.#dropWhenDone(group);
  }

  #dropWhenDone(group: RevisionGroup): void {
    if (group.wanted === 0 && group.members.size === 0) this.#groups.delete(group.revision.id);
  }

  #add(group: RevisionGroup): void {
    const { random, clock } = this.#options;
    let id: string;
    do id = `${group.revision.revision}-${randomName(random, 5)}`;
    while (this.#members.has(id));
    const first = startInstance();
    const member = new Member(id, group.revision, clock.now(), first.state);
    group.members.add(member);
    this.#members.set(id, member);
    for (const effect of first.effects) this.#act(member, effect);
  }

  #step(member: Member, input: InstanceInput): void {
    const { dueAtMs = 0 } = member.state;
    const wallMs = this.#options.clock.now();
    // The wall clock may have been set back since the timer was armed.
    const now = input.type === 'due' ? Math.max(wallMs, dueAtMs) : wallMs;
    if (input.type === 'exited') member.runner = undefined;
    const { state, effects } = stepInstance(member.state, input, now);
    const rearm = state.dueAtMs !== member.state.dueAtMs;
    member.state = state;
    if (rearm) this.#arm(member, now);
    for (const effect of effects) this.#act(member, effect);
  }

  #arm(member: Member, now: number): void {
    member.timer?.cancel();
    const { dueAtMs } = member.state;
    if (dueAtMs === undefined) return;
    const due = (): void => this.#handle(() => this.#step(member, { type: 'due' }));
    member.timer = this.#options.clock.after(dueAtMs - now, due);
  }

  #act(member: Member, effect: InstanceEffect): void {
    switch (effect.type) {
      case 'order':
        this.#order(member);
        break;
      case 'cancelOrder':
        member.cancelOrder?.();
        break;
      case 'specialise':
        this.#specialise(member);
        break;
      case 'drain':
        this.#drain(member);
        break;
      case 'signal':
        member.runner?.signal(effect.signal);
        break;
      case 'emit':
        if (effect.kind === 'stopped') this.#forget(member);
        this.#emit({ kind: effect.kind, instance: member.instanceIn(effect.state) });
        break;
      default:
        unreachable(effect);
    }
  }

  // Everybody was told already that it drains. If its calls take too long, patience ends it.
  #drain({ instance, runner, state }: Member): void {
    const { untilUncalled, clock } = this.#options;
    const leftMs = Math.max(0, (state.dueAtMs ?? clock.now()) - clock.now());
    if (untilUncalled === undefined) runner?.drain();
    else void untilUncalled(instance, leftMs).then(() => runner?.drain());
  }

  #order(member: Member): void {
    const { supply } = this.#options;
    const group = this.#groups.get(member.revision.id);
    const members = [...(group?.members ?? [])];
    const others = members.filter((other) => other !== member && other.isWanted).length;
    const rank = 2 * others + (group?.isTrial === true ? 1 : 0);
    const { id: revision, namespace, runtime, runsOn = runtime, mounts = [] } = member.revision;
    const order = { namespace, revision, runtime: runsOn, rank, isFurther: others > 0, mounts };
    member.cancelOrder = supply.take(
      order,
      (result) => {
        this.#handle(() => {
          this.#obstruct(member, undefined);
          if (!isRunner(result)) this.#step(member, { type: 'unavailable', failure: result });
          else this.#assign(member, result);
        });
      },
      (obstacle) => this.#handle(() => this.#obstruct(member, obstacle)),
    );
  }

  #obstruct(member: Member, obstacle: Obstacle | undefined): void {
    const { reason, message } = member.obstacle ?? {};
    if (reason === obstacle?.reason && message === obstacle?.message) return;
    if (obstacle !== undefined && !member.awaitsRunner) return;
    member.obstacle = obstacle;
    this.#emit({ kind: 'obstructed', instance: member.instance });
  }

  #assign(member: Member, runner: Runner): void {
    if (member.awaitsRunner) {
      member.runner = runner;
      this.#step(member, { type: 'assigned' });
    } else {
      runner.signal('SIGKILL');
    }
  }

  #specialise(member: Member): void {
    const { output, node } = this.#options;
    const services = this.#options.services?.();
    const { id, revision, state, runner, instance } = member;
    const log = output.open({ id, revision, run: state.restarts });
    const last = new LastOutput();
    const env = instanceEnvironment(instance, node);
    runner?.specialise(
      { ...toSpecialisation(id, revision), env, ...(services && { services }) },
      {
        onEvent: (event) =>
          this.#handle(() => this.#step(member, toInput(event, { last, revision }))),
        onOutput: (stream, chunk) => {
          last.add(chunk);
          log.write(stream, chunk);
        },
        onOutputEnd: () => log.end(),
      },
      revision.resources ?? {},
    );
  }

  #forget(member: Member): void {
    member.timer?.cancel();
    this.#members.delete(member.id);
    const group = this.#groups.get(member.revision.id);
    group?.members.delete(member);
    if (group !== undefined) this.#dropWhenDone(group);
    const { id, revision, state } = member;
    this.#options.output.stopped({ id, revision, isFailed: hasFailed(member.instanceIn(state)) });
    if (this.#members.size === 0) this.#onEmpty?.();
  }

  #emit(event: InstanceEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        const fields = { instance: event.instance.id, error: errorMessage(error) };
        this.#options.logger.error('A listener of Instances failed', fields);
      }
    }
  }
}

function toInput(
  event: RunnerEvent,
  { last, revision }: { readonly last: LastOutput; readonly revision: RunnableRevision },
): InstanceInput {
  switch (event.kind) {
    case 'expecting':
    case 'ready':
      return { type: event.kind };
    case 'loading':
      return { type: 'loading', file: event.file };
    case 'failed':
      return { type: 'failed', failure: event.failure };
    // What follows in its place comes with the next word about how many are wanted.
    case 'leaving':
      return { type: 'drain', graceMs: revision.limits.drainMs };
    case 'exited': {
      const said = last.lines();
      return { ...event, type: 'exited', ...(said === '' ? {} : { said }) };
    }
  }
}

function toSpecialisation(
  instance: string,
  revision: RunnableRevision,
): Omit<Specialisation, 'env'> {
  return {
    namespace: revision.namespace,
    function: revision.function,
    revision: revision.revision,
    instance,
    runtime: revision.runtime,
    sourceDirectory: revision.sourceDirectory,
    handler: revision.handler,
    ...(revision.compatibility === undefined ? {} : { compatibility: revision.compatibility }),
    limits: revision.limits,
  };
}
