import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Finished, kubectlProgram, type RunOptions, runProgram } from './fnlet-process.ts';

/** Tests that need a cluster: any that `KUBECONFIG` names, with rights to do everything there. */
export const needsCluster: { readonly skip: string | false } = {
  skip: process.env.KUBECONFIG ? false : 'KUBECONFIG names no cluster',
};

/** Runs kubectl against the cluster, whatever comes of it. */
export function tryKubectl(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runProgram(kubectlProgram(), args, { ...options, env: environment() });
}

/** What kubectl prints, which is expected to succeed. */
export async function kubectl(args: readonly string[], options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await tryKubectl(args, options);
  assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

/** Runs `fnlet` against the cluster. */
export function fnlet(args: readonly string[]): Promise<Finished> {
  const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'fnlet.js');
  return runProgram(process.execPath, [program, ...args], { env: environment() });
}

function environment(): Record<string, string> {
  const { KUBECONFIG = '', PATH = '', HOME = '' } = process.env;
  return { KUBECONFIG, PATH, HOME };
}
