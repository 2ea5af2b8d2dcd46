import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const room = join('runtimes', 'python');

/** Programs of the Python Runner, in the folder that its room has for it. */
export const pythonPrograms: { readonly process: string; readonly pod: string } = {
  process: 'fnlet_runner/__main__.py',
  pod: 'fnlet_runner/pod_main.py',
};

/**
 * How Python is to be when it runs a Runner. `-I` and `-S`: neither variables nor packages of this
 * machine reach a function.
 */
export const pythonFlags: readonly string[] = ['-I', '-S', '-X', 'utf8'];

/**
 * What a Python 3.11 or newer is started with to be a Runner, before the arguments that all Runners
 * are given. In a checkout the Runner lies where it is written; a build of the command has it
 * inside.
 *
 * @throws Error when this copy of Fnlet has no Python Runner
 */
export function pythonRunnerArguments(): readonly string[] {
  return [...pythonFlags, findProgram(pythonPrograms.process)];
}

/**
 * As {@link pythonRunnerArguments}, for a Runner in a Pod, which connects to its owner itself: see
 * `run_in_pod` for its arguments.
 *
 * @throws Error when this copy of Fnlet has no Python Runner
 */
export function pythonPodRunnerArguments(): readonly string[] {
  return [...pythonFlags, findProgram(pythonPrograms.pod)];
}

function findProgram(name: string): string {
  const program = join(room, ...name.split('/'));
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, program))) {
    const above = dirname(directory);
    if (above === directory) {
      throw new Error(
        `Cannot find the Python Runner: found no "${program}" above "${import.meta.dirname}", ` +
          'expected a whole copy of Fnlet',
      );
    }
    directory = above;
  }
  return join(directory, program);
}
