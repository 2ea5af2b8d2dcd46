import { join, resolve } from 'node:path';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { assertWritable, writeProject } from '../eject/write-project.ts';
import { exitCodes } from '../exit-codes.ts';
import { assertFound } from '../export/assert-found.ts';
import { gatherObjects } from '../export/gather-objects.ts';
import { planManifest } from '../export/plan-manifest.ts';
import type { ExportFlags } from '../flags.ts';
import { formatDocument, formatManifests } from '../output.ts';

/**
 * `fnlet export`: writes Functions, Triggers, Operators and Brokers, and what they name, as
 * manifests that can be applied to any namespace; with `-A`, to those that they are in.
 */
export async function exportObjects(
  options: ExportFlags & { readonly names: readonly string[] },
  context: CliContext,
): Promise<void> {
  const { names, output, dir, allNamespaces = false, withSecrets = false } = options;
  const { stdout, stderr, signal } = context;
  if (allNamespaces && names.length > 0) {
    const text = 'Cannot export names of all namespaces: expected one namespace';
    throw new CliError(exitCodes.usage, text, { remedy: 'Choose it with -n' });
  }
  const directory = dir === undefined ? undefined : resolve(context.workingDirectory, dir);
  if (directory !== undefined) await assertWritable(directory, options.force === true);
  await using connection = await connect(options, context);
  const gathered = await gatherObjects({
    client: createClient(connection.transport, { fieldManager: 'fnlet' }),
    namespace: allNamespaces ? undefined : connection.namespace,
    ...{ names, withSecrets, signal },
  });
  const { notices, refused, secretsLeft } = gathered;
  for (const text of [...notices, ...refused]) stderr.write(`${text}\n`);
  for (const { name } of secretsLeft) {
    stderr.write(`secret/${name} is left out: --with-secrets writes it, with its values\n`);
  }
  assertFound(gathered, connection.namespace);
  const objects = allNamespaces
    ? gathered.objects
    : gathered.objects.map((object) => planManifest(object, undefined));
  if (directory === undefined) {
    stdout.write(await formatManifests(output, objects));
  } else {
    const files = await planFiles(objects, output);
    await writeProject(directory, files);
    stderr.write(`wrote ${files.size} files; kubectl apply -R -f ${dir} brings them back\n`);
  }
  if (refused.length > 0) {
    const found = `${refused.length} of ${objects.length + refused.length} objects`;
    throw new CliError(exitCodes.failed, `Cannot export ${found}: what stands above`);
  }
}

/** A file for each object; a directory for each namespace where there are several. */
async function planFiles(
  objects: readonly KubeObject[],
  format: ExportFlags['output'],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const object of objects) {
    const { kind, metadata } = object;
    const file = `${kind.toLowerCase()}-${metadata.name}.${format}`;
    const text = await formatDocument(format, object);
    files.set(join(metadata.namespace ?? '', file), Buffer.from(text));
  }
  return files;
}
