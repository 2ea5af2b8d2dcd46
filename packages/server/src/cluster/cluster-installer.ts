import { ArtifactError, type DependencyInstaller } from '@fnlet/executor';

/**
 * Installs packages of npm that run no programs, which are the same on every machine. Others belong
 * to the image that runs them, and nothing here runs that.
 */
export function createClusterInstaller(npm: DependencyInstaller): DependencyInstaller {
  return {
    async install(source, caller) {
      if ('requirements' in source) throw refused('packages of Python');
      if (source.node !== undefined) throw refused('packages that run programs');
      return await npm.install(source, caller);
    },
    sweep: (keep) => npm.sweep(keep),
  };
}

function refused(what: string): ArtifactError {
  const expected = 'expected a function without them, or with them among its files';
  return new ArtifactError('InstallFailed', `Cannot install ${what} in a cluster yet, ${expected}`);
}
