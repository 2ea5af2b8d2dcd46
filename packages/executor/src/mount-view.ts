/**
 * Owns how processes see the mounts of their Revision: a mount namespace of their own, made when
 * they start. Nobody else on the machine sees them, and they end with the last process.
 */
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { ExecutorError } from './executor-error.ts';
import { findMountCommand, mountedCommand } from './mount-script.ts';

/** A directory of files, and where processes of an Instance see it. */
export interface InstanceMount {
  readonly path: string;
  /** Where it really is. Its files may change while it is seen. */
  readonly directory: string;
}

export class MountView {
  readonly #directory: string;
  readonly #needed: readonly string[];
  #mountCommand: readonly string[] | undefined | 'unknown' = 'unknown';

  /**
   * @param directory Belongs to this alone.
   * @param needed Paths that Runners must be able to see.
   */
  constructor(directory: string, needed: readonly string[]) {
    this.#directory = directory;
    this.#needed = needed;
  }

  /**
   * The command that runs `command` where it sees the mounts, read-only.
   *
   * @throws ExecutorError `NoMounts` where this machine gives nobody a view of its own, or a mount
   *   would hide what a Runner needs
   */
  command(
    mounts: readonly InstanceMount[],
    options: { readonly command: readonly string[]; readonly workingDirectory: string },
  ): readonly string[] {
    if (mounts.length === 0) return options.command;
    const programs = options.command.filter((part) => isAbsolute(part));
    this.#check(mounts, [...this.#needed, ...programs]);
    if (this.#mountCommand === 'unknown') this.#mountCommand = findMountCommand();
    if (this.#mountCommand === undefined) {
      throw new ExecutorError(
        'NoMounts',
        'Cannot mount Secrets and ConfigMaps: this machine gives processes no mount namespaces, ' +
          'expected Linux that lets this user run unshare and mount',
      );
    }
    return mountedCommand(this.#mountCommand, {
      root: this.#make('root'),
      staging: this.#make('staging'),
      paths: mounts.map(({ path, directory }) => ({
        source: directory,
        target: path,
        isFile: false,
        readOnly: true,
      })),
      ...options,
    });
  }

  #check(mounts: readonly InstanceMount[], needed: readonly string[]): void {
    for (const { path } of mounts) {
      const hidden = needed.find((one) => one === path || one.startsWith(path + sep));
      if (hidden === undefined) continue;
      throw new ExecutorError(
        'NoMounts',
        `Cannot mount at "${path}": it would hide "${hidden}", which Instances need on this ` +
          'machine, expected another path',
      );
    }
  }

  // Everybody can share them: what is mounted there is seen in one namespace only.
  #make(name: string): string {
    const path = join(this.#directory, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }
}
