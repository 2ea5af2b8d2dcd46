import { hasCode } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ForeignSystem } from '../foreign-system.ts';
import { formatDocument, formatObjects } from '../output.ts';
import { readManifests } from '../read-manifests.ts';

export interface ImportOptions extends Omit<GlobalOptions, 'output'> {
  /** Files and directories, `-` for standard input, or only `cluster` for what the API has. */
  readonly sources: readonly string[];
  readonly output: DocumentFormat;
  readonly allNamespaces?: boolean;
}

/**
 * `fnlet import`: writes what the objects of another system are in Fnlet, and says of each what has
 * no counterpart.
 */
export async function importFrom(
  system: ForeignSystem,
  options: ImportOptions,
  context: CliContext,
): Promise<void> {
  const isCluster = options.sources.length === 1 && options.sources[0] === 'cluster';
  const found = isCluster
    ? await readCluster(system, options, context)
    : await readManifests(options.sources, context);
  const written: KubeObject[] = [];
  let translated = 0;
  let refused = 0;
  for (const object of found) {
    const translation = system.translate(object, found);
    const say = (text: string): void => void context.stderr.write(`${nameOf(object)}: ${text}\n`);
    if (translation === undefined) {
      say(`is not of ${system.title}, and is left out`);
    } else if (translation.kind === 'refused') {
      refused++;
      for (const reason of translation.reasons) say(`cannot be translated: ${reason}`);
    } else {
      translated++;
      written.push(...translation.objects);
      for (const notice of translation.notices) say(notice);
    }
  }
  await write(written, options.output, context);
  if (refused > 0) {
    throw new CliError(exitCodes.failed, `Cannot translate ${refused} of ${found.length} objects`);
  }
  if (translated === 0) {
    throw new CliError(exitCodes.notFound, `Cannot import: found no objects of ${system.title}`);
  }
}

async function readCluster(
  { types }: ForeignSystem,
  { allNamespaces, ...options }: ImportOptions,
  context: CliContext,
): Promise<readonly KubeObject[]> {
  await using connection = await connect(options, context);
  const client = createClient(connection.transport, { fieldManager: 'fnlet' });
  const where = allNamespaces === true ? {} : { namespace: connection.namespace };
  const found: KubeObject[] = [];
  for (const type of types) {
    try {
      const listed = client.of<KubeObject>(type).listAll({ ...where, signal: context.signal });
      found.push(...(await Array.fromAsync(listed)));
    } catch (error) {
      // A kind that the cluster does not know has no objects there.
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }
  return found;
}

async function write(
  objects: readonly KubeObject[],
  format: DocumentFormat,
  { stdout }: CliContext,
): Promise<void> {
  if (format === 'json') {
    stdout.write(await formatObjects('json', objects));
    return;
  }
  const documents = await Promise.all(objects.map((object) => formatDocument('yaml', object)));
  stdout.write(documents.join('---\n'));
}

function nameOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
