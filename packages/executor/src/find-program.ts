import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The directories in which programs are looked for, in that order. */
export function searchPath(path: string | undefined): readonly string[] {
  return (path ?? '').split(delimiter).filter((directory) => isAbsolute(directory));
}

/** Whether there is a program of this path that this process may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Where a program is: `name` itself when that is an absolute path, else the first on the path. */
export function findProgram(name: string, path: string | undefined): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined;
  // Anything else with a slash would depend on where this process was started.
  if (name.includes('/')) return undefined;
  return searchPath(path)
    .map((directory) => join(directory, name))
    .find(isProgram);
}
