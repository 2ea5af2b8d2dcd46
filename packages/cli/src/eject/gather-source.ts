import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FunctionSource,
  type KnownRuntime,
  type RevisionObject,
  sourceFiles,
} from '@fnlet/api';
import { isJsonObject } from '@fnlet/base';
import {
  createRuntimes,
  createSourceFetcher,
  type DependencyLock,
  lockDependencies,
  type PythonProgram,
  pythonRunnerArguments,
  type Reaper,
  type SourceAccess,
  type SourceTree,
} from '@fnlet/executor';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import type { Connection } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { isPython, type ProjectFiles } from './plan-ejected-project.ts';
import { readTree } from './runner-files.ts';

/** What sources and their dependencies are brought with. */
export interface Workshop {
  readonly connection: Connection;
  readonly context: CliContext;
  /** An empty directory, which its owner removes. */
  readonly directory: string;
  readonly reaper: Reaper;
}

/**
 * The files of a Revision, as they are: from the Revision, or from where its source says.
 *
 * @throws ArtifactError, CliError
 */
export async function gatherSource(
  workshop: Workshop,
  revision: RevisionObject,
  runtime: KnownRuntime,
): Promise<ProjectFiles> {
  const { source } = revision.spec;
  const tree = sourceTree(workshop, source, revision.metadata.namespace ?? '');
  if (tree === undefined) return new Map(Object.entries(sourceFiles(source, runtime.fileName)));
  const { signal, stderr } = workshop.context;
  const target = join(workshop.directory, 'source');
  await mkdir(target);
  stderr.write('  fetching the source\n');
  await tree.write(target, { signal });
  return readTree(target);
}

/** What the files depend on; versions are those of their lock, if they have one. */
export async function gatherDependencies(
  workshop: Workshop,
  revision: RevisionObject,
  { source, runtime }: { readonly source: ProjectFiles; readonly runtime: KnownRuntime },
): Promise<DependencyLock> {
  const { context, reaper, directory } = workshop;
  const { dependencies, allowInstallScripts, compatibility } = revision.spec;
  const files = Object.fromEntries(
    [...source].map(([path, content]) => [path, Buffer.from(content).toString('utf8')]),
  );
  context.stderr.write('  deciding on dependencies\n');
  const python = isPython(runtime) ? await findPython(workshop, runtime.name) : undefined;
  return lockDependencies(
    { files, compatibility, dependencies, allowInstallScripts, python },
    {
      directory: join(directory, 'dependencies'),
      environment: context.env,
      reaper,
      clock: context.clock,
    },
    { signal: context.signal },
  );
}

async function findPython({ context, ...parts }: Workshop, name: string): Promise<PythonProgram> {
  const runtimes = createRuntimes({
    directory: join(parts.directory, 'runtimes'),
    builtin: [name],
    runners: { node: '', python: pythonRunnerArguments() },
    environment: context.env,
    reaper: parts.reaper,
    clock: context.clock,
  });
  const { command } = await runtimes.prepare(name, { signal: context.signal });
  return { name, program: command[0] ?? name };
}

function sourceTree(
  workshop: Workshop,
  { git, archive, artifact }: FunctionSource,
  namespace: string,
): SourceTree | undefined {
  const { context, directory, reaper } = workshop;
  const fetcher = createSourceFetcher({
    directory: join(directory, 'fetched'),
    uploads: join(directory, 'uploads'),
    environment: context.env,
    reaper,
    clock: context.clock,
  });
  if (artifact !== undefined) {
    const message = `Cannot eject from an upload: found ${artifact}, expected a source to read`;
    throw new CliError(exitCodes.failed, message, {
      remedy: 'Its files are where they were deployed from: deploy fewer of them, or from git',
    });
  }
  if (git !== undefined) {
    const { url, reference: commit = '', directory: below = '', secretRef } = git;
    const access = accessTo(workshop, namespace, secretRef?.name);
    return fetcher.gitTree({ url, commit, directory: below }, access);
  }
  if (archive === undefined) return undefined;
  const { url, data = '', sha256, directory: below = '', secretRef } = archive;
  if (url === undefined) {
    return fetcher.bytesTree({ bytes: Buffer.from(data, 'base64'), sha256 }, below);
  }
  const digest = (sha256 ?? '').replace(/^sha256:/, '');
  const access = accessTo(workshop, namespace, secretRef?.name);
  return fetcher.archiveTree({ url, digest, directory: below }, access);
}

/** The Secret of a source, read only where something is fetched with it. */
function accessTo(
  { connection }: Workshop,
  namespace: string,
  name: string | undefined,
): SourceAccess {
  if (name === undefined) return { scope: '', readSecret: async () => undefined };
  return {
    scope: `${namespace}/${name}`,
    async readSecret(signal) {
      const secret: unknown = await connection.secrets.get({ namespace, name }, { signal });
      const data = isJsonObject(secret) && isJsonObject(secret.data) ? secret.data : {};
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [
          key,
          Buffer.from(String(value), 'base64').toString('utf8'),
        ]),
      );
    },
  };
}
