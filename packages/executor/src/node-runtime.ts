/**
 * A release of Node.js: the one that runs this process, or one that is fetched from the npm
 * registry, where `node-<platform>-<arch>` has the official builds.
 *
 *     <directory>/packages/        what npm installed; see dependency-installer.ts
 *     <directory>/<name>           link to the installed packages of this runtime
 *
 * I1. The link appears when its Node has said its version, and is never moved: a release is fetched
 *     once, and from then on neither npm nor a network is needed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { errorMessage, isJsonObject } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';
import type { DependencyInstaller } from './dependency-installer.ts';
import type { DependencyManifest } from './dependency-manifest.ts';
import { readProgramOutput } from './program-output.ts';
import type { RuntimeCommand } from './runtime-command.ts';
import { RuntimeError } from './runtime-error.ts';
import type { RuntimeLook, RuntimeSource } from './runtime-source.ts';
import type { WorkCaller } from './shared-work.ts';

export interface NodeRuntimeOptions {
  /** Such as `nodejs22`. */
  readonly name: string;
  /** Program of the Runner. */
  readonly runner: string;
  readonly directory: string;
  /** Opens the installer in `<directory>/packages`, when something is fetched. */
  readonly installer: () => Pick<DependencyInstaller, 'install'>;
}

/** The major release that a runtime names, such as 22; `undefined` for other languages. */
export function nodeMajor(name: string): number | undefined {
  const match = /^nodejs(\d+)$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}

/** The Node of this process, as the runtime `name`. */
export function ownNodeRuntime(
  name: string,
  runner: string,
): RuntimeSource & { readonly command: RuntimeCommand } {
  const program = process.execPath;
  const command: RuntimeCommand = { name, command: [program, runner] };
  return {
    command,
    look: () => ({ state: 'own', program, version: process.versions.node }),
    prepare: () => Promise.resolve(command),
  };
}

/** Another release, which is fetched when it is first needed. */
export function fetchedNodeRuntime(options: NodeRuntimeOptions): RuntimeSource {
  const { name, runner, directory } = options;
  const link = join(directory, name);
  const program = join(link, 'node_modules', packageName, 'bin', nodeProgram);
  const command: RuntimeCommand = { name, command: [program, runner] };
  return {
    look: () => lookAt(link, program),
    async prepare(caller) {
      if (!existsSync(program)) await fetchNode(options, link, caller);
      return command;
    },
  };
}

const platform = process.platform === 'win32' ? 'win' : process.platform;

const packageName = `node-${platform}-${process.arch}`;

const nothing = {
  optionalDependencies: {},
  overrides: {},
  devDependencies: {},
  peerDependencies: {},
};

const nodeProgram = process.platform === 'win32' ? 'node.exe' : 'node';

function lookAt(link: string, program: string): RuntimeLook {
  if (!existsSync(program)) return { state: 'fetchable' };
  const manifest = join(link, 'node_modules', packageName, 'package.json');
  const told: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  const version = isJsonObject(told) ? told.version : undefined;
  return { state: 'fetched', program, ...(typeof version === 'string' ? { version } : {}) };
}

async function fetchNode(
  { name, directory, installer }: NodeRuntimeOptions,
  link: string,
  { signal, onProgress }: Required<WorkCaller>,
): Promise<void> {
  const major = nodeMajor(name) ?? 0;
  const title = `Node.js ${major}`;
  const manifest: DependencyManifest = {
    ...nothing,
    dependencies: { [packageName]: `^${major}` },
  };
  // What npm says of a single package is no progress: it has no numbers.
  const caller = { signal, onProgress: () => onProgress(`Fetching ${title}`) };
  const installed = await installer()
    .install({ manifest }, caller)
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw cannotFetch(title, error);
    });
  const program = join(installed, 'node_modules', packageName, 'bin', nodeProgram);
  const said = await readProgramOutput(program, ['--version'], signal).catch(errorMessage);
  signal.throwIfAborted();
  if (!said.startsWith(`v${major}.`)) {
    // What cannot run is of no use to anybody: the next try begins anew.
    await rm(installed, { recursive: true, force: true });
    throw new RuntimeError(
      'InstallFailed',
      `Cannot use ${title} of package "${packageName}": it says "${said.trim()}", expected v${major}`,
      { retry: 'later', remedy: 'Check which registry npm is configured to use.' },
    );
  }
  // A link to a place that is no more would be in the way.
  await rm(link, { force: true });
  await symlink(relative(directory, installed), link);
}

function cannotFetch(title: string, cause: unknown): unknown {
  if (!(cause instanceof ArtifactError)) return cause;
  const code = cause.code === 'RegistryUnreachable' ? 'RegistryUnreachable' : 'InstallFailed';
  const { message, retry, remedy } = cause;
  return new RuntimeError(code, `Cannot fetch ${title} as package "${packageName}": ${message}`, {
    ...{ cause, retry },
    ...(remedy === undefined ? {} : { remedy }),
  });
}
