import { type FunctionObject, syncAnnotation } from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import { findCondition, type ObjectKey } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { SyncFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';
import { observe } from '../rollout.ts';
import { showRollout } from './deploy.ts';

/** `fnlet sync`: has the source of a Function looked at now, and waits until it serves. */
export async function sync(
  options: SyncFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  const timeoutMs = parseDuration(options.waitTimeout);
  await using connection = await connect(options, context);
  const key = { namespace: connection.namespace, name: options.name };
  const { signal, clock, stdout, stderr } = context;
  assertFetched(await connection.functions.get(key, { signal }));
  const startMs = clock.monotonicMs();
  const value = new Date(clock.now()).toISOString();
  const patch = { metadata: { annotations: { [syncAnnotation]: value } } };
  await connection.functions.patch(key, { type: 'merge', patch }, { signal });
  const synced = await waitForAnswer(connection, { key, value, timeoutMs }, context);
  stderr.write(`function/${key.name} ${describeSource(synced)}\n`);
  const leftMs = Math.max(0, timeoutMs - (clock.monotonicMs() - startMs));
  const url = await showRollout(connection, { key, timeoutMs: leftMs }, context);
  const { output = 'table' } = options;
  if (output === 'table') {
    stdout.write(`${url}\n`);
  } else {
    const object = await connection.functions.get(key, { signal });
    stdout.write(await formatObjects(output, object));
  }
}

function assertFetched({ metadata, spec }: FunctionObject): void {
  if (spec.source.git !== undefined || spec.source.archive?.url !== undefined) return;
  throw new CliError(
    exitCodes.failed,
    `Cannot sync Function "${metadata.name}": found its source in the cluster, expected a ` +
      'repository or the URL of an archive',
    { remedy: `Deploy it anew with: fnlet deploy ${metadata.name}` },
  );
}

interface Awaited {
  readonly key: ObjectKey;
  readonly value: string;
  readonly timeoutMs: number;
}

/** Waits until the demand is answered. */
async function waitForAnswer(
  connection: Connection,
  { key, value, timeoutMs }: Awaited,
  context: CliContext,
): Promise<FunctionObject> {
  const { clock } = context;
  const timeout = new AbortController();
  const timer = clock.after(timeoutMs, () => timeout.abort());
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    for await (const object of observe(connection, key, { signal, clock })) {
      if (object.status?.source?.syncedFor !== value) continue;
      const condition = findCondition(object.status.conditions, 'SourceReady');
      if (condition?.status !== 'False') return object;
      const { reason = '', message = '' } = condition;
      throw new CliError(exitCodes.notReady, `Cannot sync "${key.name}": ${reason}: ${message}`, {
        remedy: `More about it: fnlet describe ${key.name}`,
      });
    }
  } finally {
    timer.cancel();
  }
  if (context.signal.aborted) throw new CliError(exitCodes.failed, 'Interrupted');
  throw new CliError(
    exitCodes.timedOut,
    `Cannot wait any longer for the source of Function "${key.name}"`,
    { remedy: `Look at it with: fnlet describe ${key.name}` },
  );
}

function describeSource({ status }: FunctionObject): string {
  const { commit, digest = '', reference } = status?.source ?? {};
  if (commit === undefined) return `is of archive sha256:${digest}`;
  return `is of commit ${commit}${reference === undefined ? '' : ` (${reference})`}`;
}
