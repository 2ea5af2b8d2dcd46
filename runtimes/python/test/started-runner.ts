import type { LoadFailure } from '@fnlet/invocation';
import {
  type RunnerProgram,
  RunnerUnderContract,
  type StartOptions,
} from '../../../packages/invocation/test/runner-under-contract.ts';
import { findPython, runnerArguments } from './python.ts';

export type {
  Answer,
  CallOptions,
  StartOptions,
} from '../../../packages/invocation/test/runner-under-contract.ts';
export { readAnswer } from '../../../packages/invocation/test/runner-under-contract.ts';

/** The Python Runner. Tests that start it are skipped where there is no Python. */
export const pythonRunner: RunnerProgram = [findPython() ?? 'python3', ...runnerArguments];

export type StartedRunner = RunnerUnderContract;

const runtime = 'python3.11';

/** Python Runners in processes of their own. */
export const StartedRunner = {
  /** One that has no code yet. */
  warm: (): StartedRunner => new RunnerUnderContract(pythonRunner),
  start: (options: StartOptions): Promise<StartedRunner> =>
    RunnerUnderContract.start(pythonRunner, { runtime, ...options }),
  /** Why this code does not load. */
  fail: (options: StartOptions): Promise<LoadFailure> =>
    RunnerUnderContract.fail(pythonRunner, { runtime, ...options }),
};
