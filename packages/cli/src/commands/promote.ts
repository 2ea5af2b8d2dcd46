import { createInterface } from 'node:readline';
import { createClient, createHttpTransport, type Kubeconfig } from '@fnlet/client';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { assertFound } from '../export/assert-found.ts';
import { type Gathered, gatherObjects } from '../export/gather-objects.ts';
import { formatChange, type ObjectChange } from '../export/object-change.ts';
import { PromotionTarget, promoteManager } from '../export/promotion-target.ts';
import { nameOf } from '../export/select-objects.ts';
import { findForeignKubeconfig, findKubeconfig } from '../find-kubeconfig.ts';
import type { PromoteFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';

interface PromoteOptions extends PromoteFlags {
  readonly names: readonly string[];
}

/**
 * `fnlet promote`: shows how Functions, Triggers, Operators and Brokers, with what they name, would
 * change another cluster, asks, and applies them there. Nothing is deleted, here or there.
 */
export async function promote(options: PromoteOptions, context: CliContext): Promise<void> {
  const { stderr } = context;
  const from = await findKubeconfig(options, context);
  const to = await findForeignKubeconfig(
    { kubeconfig: options.toKubeconfig, context: options.toContext },
    context,
  );
  const namespace = options.toNamespace ?? to.namespace;
  const here = options.namespace ?? from.namespace;
  assertElsewhere({ from, here }, { to, namespace });
  const gathered = await gather(options, { from, here }, context);
  const force = options.forceConflicts === true;
  await using target = new PromotionTarget({ config: to, namespace, force }, context);
  const changes = await target.compare(gathered.objects);
  await tellSecrets(gathered, target, context);
  const differing = await showChanges(changes, options, context);
  if (differing.length === 0) {
    stderr.write(`nothing changes in the ${target.title}\n`);
  } else if (options.dryRun !== true) {
    if (options.yes !== true) await confirm(differing.length, target, context);
    for (const change of differing) {
      await target.write(change);
      const what = change.before === undefined ? 'created' : 'configured';
      stderr.write(`${nameOf(change.object)} ${what}\n`);
    }
  }
  if (options.output === undefined) return;
  context.stdout.write(
    await formatObjects(
      options.output,
      changes.map(({ object }) => object),
    ),
  );
}

interface Place {
  readonly from: Kubeconfig;
  readonly here: string;
}

function assertElsewhere(
  { from, here }: Place,
  { to, namespace }: { readonly to: Kubeconfig; readonly namespace: string },
): void {
  if (from.server !== to.server || here !== namespace) return;
  const text = `Cannot promote to the context "${to.contextName}": it is where the objects are`;
  throw new CliError(exitCodes.usage, `${text}, the namespace "${here}" of ${from.server}`, {
    remedy: 'Choose another one with --to-context, or another namespace with --to-namespace',
  });
}

async function gather(
  { names, withSecrets = false }: PromoteOptions,
  { from, here }: Place,
  { clock, signal, stderr }: CliContext,
): Promise<Gathered> {
  const transport = createHttpTransport(from);
  try {
    const client = createClient(transport, { fieldManager: promoteManager, clock });
    const gathered = await gatherObjects({
      ...{ client, namespace: here, names, withSecrets, signal },
    });
    assertFound(gathered, here);
    for (const text of gathered.notices) stderr.write(`${text}\n`);
    if (gathered.refused.length > 0) {
      const text = gathered.refused.join('\n');
      throw new CliError(exitCodes.failed, `Cannot promote: nothing was written\n${text}`);
    }
    return gathered;
  } finally {
    await transport.close();
  }
}

async function tellSecrets(
  { secretsLeft }: Gathered,
  target: PromotionTarget,
  { stderr }: CliContext,
): Promise<void> {
  for (const name of await target.missingSecrets(secretsLeft.map(({ name }) => name))) {
    stderr.write(`secret/${name} is not there: create it, or bring it with --with-secrets\n`);
  }
}

/** Shows what changes, and gives those objects that do. */
async function showChanges(
  changes: readonly ObjectChange[],
  { output }: PromoteOptions,
  { stdout, stderr }: CliContext,
): Promise<readonly ObjectChange[]> {
  // Standard output is for the objects where they are asked for.
  const shown = output === undefined ? stdout : stderr;
  const differing: ObjectChange[] = [];
  for (const change of changes) {
    const difference = await formatChange(change);
    if (difference === '') continue;
    shown.write(difference);
    differing.push(change);
  }
  return differing;
}

/** @throws CliError where the answer is not yes */
async function confirm(
  count: number,
  target: PromotionTarget,
  { stdin, stderr, signal }: CliContext,
): Promise<void> {
  const what = count === 1 ? 'one object' : `${count} objects`;
  stderr.write(`Write ${what} to the ${target.title}? [y/N] `);
  const answer = await readLine(stdin, signal);
  if (/^\s*y(es)?\s*$/i.test(answer ?? '')) return;
  const remedy = answer === undefined ? { remedy: '--yes writes without a question' } : {};
  throw new CliError(exitCodes.failed, 'Cannot promote: nobody said yes, nothing was written', {
    ...remedy,
  });
}

/** The first line; `undefined` where there is none. */
async function readLine(
  stdin: CliContext['stdin'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = createInterface({ input: stdin });
  const close = (): void => lines.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    signal.removeEventListener('abort', close);
    lines.close();
  }
}
