import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a Runner is started with, after the program. */
export const runnerArguments: readonly string[] = [
  '-I',
  '-S',
  '-X',
  'utf8',
  fileURLToPath(new URL('../fnlet_runner/__main__.py', import.meta.url)),
];

// Oldest first: what is written for it runs on the others too.
const names = ['python3.11', 'python3.12', 'python3.13', 'python3.14'];

/** A Python that the Runner runs on, from the path; `undefined` when there is none. */
export function findPython(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter).filter((path) => path !== '');
  return names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find((path) => existsSync(path) && !path.includes('/shims/'));
}

/** The runtime that {@link findPython} is, such as `python3.11`. */
export const pythonName: string = basename(findPython() ?? 'python3.11');

/** Options of a test that needs Python. */
export const needsPython: { readonly skip: string | false } = {
  skip: findPython() === undefined ? 'no Python 3.11 or newer on the path' : false,
};
