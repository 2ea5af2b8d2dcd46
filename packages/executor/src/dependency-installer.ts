import type { ArtifactBucket } from './bucket/artifact-bucket.ts';
import { InstallDirectory } from './install-directory.ts';
import type { InstallerSetting } from './installer-run.ts';
import { installNpm, type NpmDependencies } from './npm-installer.ts';
import { installPip, type PipDependencies } from './pip-installer.ts';
import type { WorkCaller } from './shared-work.ts';

export interface DependencyInstallerOptions extends InstallerSetting {
  /** Where everything is kept; it has one owner at a time. */
  readonly directory: string;
  /** What is installed is kept there, too. Default: it is made again when it is lost. */
  readonly bucket?: ArtifactBucket | undefined;
}

/** What is to be installed: packages of npm, or of Python. */
export type DependencySource = NpmDependencies | PipDependencies;

/** Installs dependencies once; see {@link InstallDirectory} for what that means. */
export interface DependencyInstaller {
  /**
   * The directory whose `node_modules`, or `site-packages`, has the dependencies.
   *
   * @throws ArtifactError `DependencyNotFound`, `RegistryUnreachable`, `InstallFailed`,
   *   `BrokenManifest`
   */
  install(source: DependencySource, caller: WorkCaller): Promise<string>;
  /** What was installed under this name, if it is here, or kept in the bucket. */
  restored(name: string, caller: WorkCaller): Promise<string | undefined>;
  /** Removes all installed directories that are not in `keep`. */
  sweep(keep: ReadonlySet<string>): Promise<void>;
}

export function createDependencyInstaller(
  options: DependencyInstallerOptions,
): DependencyInstaller {
  const { environment, findService, reaper, clock, place } = options;
  const directory = new InstallDirectory(options.directory, options.bucket);
  const setting = { environment, findService, reaper, clock, place, directory };
  return {
    install: (source, caller) =>
      'requirements' in source
        ? installPip(source, setting, caller)
        : installNpm(source, setting, caller),
    restored: (name, caller) => directory.restored(name, caller),
    sweep: (keep) => directory.sweep(keep),
  };
}
