import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@fnlet/base';
import {
  createDependencyInstaller,
  type DependencyInstaller,
} from '../src/dependency-installer.ts';
import { type DependencyManifest, parseDependencies } from '../src/dependency-manifest.ts';
import { createReaper } from '../src/reaper.ts';

export interface InstallBench extends AsyncDisposable {
  /** Where the installer keeps everything. */
  readonly directory: string;
  readonly installer: DependencyInstaller;
  /** The lines of progress of all installations. */
  readonly progress: string[];
  /** Writes a package that can be installed without any registry; gives its `file:` version. */
  addPackage(name: string, content?: Readonly<Record<string, unknown>>): string;
  /** An installer on the same directory, as after a restart. */
  reopen(environment?: Readonly<Record<string, string | undefined>>): DependencyInstaller;
}

/** A real npm on a directory of its own. */
export function createInstallBench(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): InstallBench {
  const root = mkdtempSync(join(tmpdir(), 'install-test-'));
  const directory = join(root, 'dependencies');
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const reopen: InstallBench['reopen'] = (changed = environment) =>
    createDependencyInstaller({ directory, environment: changed, reaper, clock: systemClock });
  return {
    directory,
    installer: reopen(),
    progress: [],
    addPackage(name, content = {}) {
      const path = join(root, 'packages', name);
      mkdirSync(path, { recursive: true });
      const manifest = { name, version: '1.2.3', main: 'index.js', ...content };
      writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(path, 'index.js'), `module.exports = ${JSON.stringify(name)};\n`);
      return `file:${path}`;
    },
    reopen,
    async [Symbol.asyncDispose]() {
      await reaper.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A manifest with these dependencies. */
export function manifestOf(dependencies: Readonly<Record<string, string>>): DependencyManifest {
  const { manifest } = parseDependencies(JSON.stringify({ dependencies }), 'dependencies');
  if (manifest === undefined) throw new Error('expected at least one dependency');
  return manifest;
}
