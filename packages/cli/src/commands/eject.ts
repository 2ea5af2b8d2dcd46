import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { builtinRuntimes, type FunctionObject, type KnownRuntime } from '@fnlet/api';
import { silentLogger } from '@fnlet/base';
import { createReaper } from '@fnlet/executor';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { gatherDependencies, gatherSource } from '../eject/gather-source.ts';
import { isPython, planEjectedProject } from '../eject/plan-ejected-project.ts';
import { readNodeRunner, readPythonRunner } from '../eject/runner-files.ts';
import { assertWritable, writeProject } from '../eject/write-project.ts';
import { exitCodes } from '../exit-codes.ts';
import type { EjectFlags } from '../flags.ts';
import { ejectedBodyBytesMax } from '../limits.ts';

/** `fnlet eject`: writes a Function as a project that builds and runs without Fnlet. */
export async function eject(
  options: EjectFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  const { name: functionName, dir = functionName, targetName: name = functionName } = options;
  assertName(name);
  const target = resolve(context.workingDirectory, dir);
  await assertWritable(target, options.force === true);
  await using connection = await connect(options, context);
  const { namespace } = connection;
  const { signal } = context;
  const owner = await connection.functions.get({ namespace, name: functionName }, { signal });
  const runtime = runtimeOf(owner);
  const served = revisionNameOf(owner);
  const revision = await connection.revisions.get({ namespace, name: served }, { signal });
  await using reaper = createReaper({ clock: context.clock, logger: silentLogger });
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-eject-'));
  try {
    const workshop = { connection, context, directory, reaper };
    const source = await gatherSource(workshop, revision, runtime);
    const dependencies = await gatherDependencies(workshop, revision, { source, runtime });
    const runner = await (isPython(runtime) ? readPythonRunner() : readNodeRunner());
    const bodyBytesMax = ejectedBodyBytesMax;
    const project = { name, owner, revision, runtime, source, dependencies, runner, bodyBytesMax };
    const files = planEjectedProject(project);
    await writeProject(target, files);
    context.stderr.write(`wrote ${files.size} files; how to run them: ${join(dir, 'README.md')}\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

// It becomes the name of a Service and of an image.
function assertName(name: string): void {
  if (/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return;
  const expected = 'expected lower-case letters, digits and dashes, a letter first';
  throw new CliError(exitCodes.usage, `Cannot name a project "${name}": ${expected}`);
}

function revisionNameOf({ metadata, status }: FunctionObject): string {
  if (status?.revision !== undefined) return status.revision;
  const message = `Cannot eject Function "${metadata.name}": found no Revision, expected one`;
  const remedy = `See what it waits for: fnlet describe ${metadata.name}`;
  throw new CliError(exitCodes.notReady, message, { remedy });
}

function runtimeOf({ metadata, spec, status }: FunctionObject): KnownRuntime {
  const name = status?.runtime ?? spec.runtime;
  const runtime = builtinRuntimes.find(
    (known) => known.name === name || known.aliases.includes(name),
  );
  if (runtime !== undefined) return runtime;
  throw new CliError(
    exitCodes.failed,
    `Cannot eject Function "${metadata.name}": found runtime ${name}, expected one that comes with Fnlet`,
    { remedy: `Those are ${builtinRuntimes.map((known) => known.name).join(', ')}` },
  );
}
