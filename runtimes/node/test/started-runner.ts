import type { LoadFailure } from '@fnlet/invocation';
import { runnerEntry } from '@fnlet/runtime-node';
import {
  type RunnerProgram,
  RunnerUnderContract,
  type StartOptions,
} from '../../../packages/invocation/test/runner-under-contract.ts';

export type {
  Answer,
  CallOptions,
} from '../../../packages/invocation/test/runner-under-contract.ts';
export { readAnswer } from '../../../packages/invocation/test/runner-under-contract.ts';

/** The Node Runner, on the Node that `FNLET_RUNNER_NODE` names; by default on this one. */
export const nodeRunner: RunnerProgram = [
  process.env.FNLET_RUNNER_NODE ?? process.execPath,
  runnerEntry,
];

export type StartedRunner = RunnerUnderContract;

/** Node Runners in processes of their own. */
export const StartedRunner = {
  /** One that has no code yet. */
  warm: (host?: string): StartedRunner => new RunnerUnderContract(nodeRunner, host),
  start: (options: StartOptions): Promise<StartedRunner> =>
    RunnerUnderContract.start(nodeRunner, options),
  /** Why this code does not load. */
  fail: (options: StartOptions): Promise<LoadFailure> =>
    RunnerUnderContract.fail(nodeRunner, options),
};
