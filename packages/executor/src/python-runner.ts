import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const program = join('runtimes', 'python', 'fnlet_runner', '__main__.py');

/**
 * What a Python 3.11 or newer is started with to be a Runner, before the arguments that all Runners
 * are given. In a checkout the Runner lies where it is written; a build of the command has it
 * inside. `-I` and `-S`: neither variables nor packages of this machine reach a function.
 *
 * @throws Error when this copy of Fnlet has no Python Runner
 */
export function pythonRunnerArguments(): readonly string[] {
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
  return ['-I', '-S', '-X', 'utf8', join(directory, program)];
}
