import type { Timer } from '@fnlet/base';
import type { Instance, Obstacle, RunnableRevision } from './executor.ts';
import type { InstanceState } from './instance-state.ts';
import type { Runner } from './runner.ts';

/** What the loop holds about one Instance: its state, and the live things that belong to it. */
export class Member {
  readonly id: string;
  readonly revision: RunnableRevision;
  readonly createdAtMs: number;
  state: InstanceState;
  runner: Runner | undefined;
  timer: Timer | undefined;
  cancelOrder: (() => void) | undefined;
  /** Why it waits for a Runner, where that is known. */
  obstacle: Obstacle | undefined;

  constructor(id: string, revision: RunnableRevision, createdAtMs: number, state: InstanceState) {
    this.id = id;
    this.revision = revision;
    this.createdAtMs = createdAtMs;
    this.state = state;
  }

  /** Whether it is to go on. */
  get isWanted(): boolean {
    return this.state.phase !== 'draining';
  }

  get awaitsRunner(): boolean {
    return this.state.phase === 'starting' && !this.state.assigned;
  }

  get instance(): Instance {
    return this.instanceIn(this.state);
  }

  /** What everybody else sees of it, in the given state. */
  instanceIn(state: InstanceState): Instance {
    return {
      id: this.id,
      revision: this.revision,
      phase: state.phase,
      address: this.runner?.address,
      pid: this.runner?.pid,
      createdAtMs: this.createdAtMs,
      readyAtMs: state.readyAtMs,
      restarts: state.restarts,
      lastExit: state.lastExit,
      restartAtMs: state.phase === 'backingOff' ? state.dueAtMs : undefined,
      ...(this.runner?.holdsCalls === false ? { holdsCalls: false } : {}),
      ...(this.obstacle === undefined ? {} : { obstacle: this.obstacle }),
    };
  }
}
