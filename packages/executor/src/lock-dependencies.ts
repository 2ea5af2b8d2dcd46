import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DependencyQuestion, readNeeds } from './artifact-dependencies.ts';
import {
  createDependencyInstaller,
  type DependencyInstallerOptions,
} from './dependency-installer.ts';
import type { WorkCaller } from './shared-work.ts';

/** What the dependencies of a source are, exactly. */
export type LockedDependencies =
  | { readonly kind: 'none' }
  | { readonly kind: 'npm'; readonly packageJson: string; readonly packageLock: string }
  /** Text of a requirements.txt whose lines have hashes. */
  | { readonly kind: 'pip'; readonly requirements: string };

/** The answer of {@link lockDependencies}. */
export interface DependencyLock {
  readonly locked: LockedDependencies;
  /** What becomes the package.json of the source unless it has one: it says how code is loaded. */
  readonly packageJson: string | undefined;
}

/**
 * Decides on versions, by the lock that the source has where it has one, and installs them once to
 * see that they are to be had.
 *
 * @throws ArtifactError
 */
export async function lockDependencies(
  question: DependencyQuestion,
  options: DependencyInstallerOptions,
  caller: WorkCaller,
): Promise<DependencyLock> {
  const { wanted, packageJson } = readNeeds(question);
  if (wanted === undefined) return { locked: { kind: 'none' }, packageJson };
  const installed = await createDependencyInstaller(options).install(wanted, caller);
  const read = (name: string): Promise<string> => readFile(join(installed, name), 'utf8');
  const locked: LockedDependencies =
    'requirements' in wanted
      ? { kind: 'pip', requirements: await read('lock.txt') }
      : {
          kind: 'npm',
          packageJson: await read('package.json'),
          packageLock: await read('package-lock.json'),
        };
  return { locked, packageJson };
}
