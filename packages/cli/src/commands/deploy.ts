import {
  developmentUntilAnnotation,
  type FunctionObject,
  functionConditions,
  functionReasons,
} from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import { findCondition } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { type Connection, connect, tryListRuntimes } from '../connection.ts';
import { endDevelopment, isSoon, putOffDevelopmentEnd } from '../development.ts';
import type { DeployFlags, SourceFlags } from '../flags.ts';
import { buildManifests } from '../function-manifest.ts';
import { formatObjects } from '../output.ts';
import { type RolloutRequest, waitForRollout } from '../rollout.ts';
import { openSource, watchSource } from '../source-watch.ts';
import { uploadSource } from '../upload-source.ts';

export interface DeployOptions extends DeployFlags {
  readonly name: string;
  readonly source: string;
}

/** `fnlet deploy`: applies a Function made of files and flags, and waits until it serves. */
export async function deploy(options: DeployOptions, context: CliContext): Promise<void> {
  const timeoutMs = parseDuration(options.waitTimeout);
  await using connection = await connect(options, context);
  const once = async (): Promise<void> => {
    const applied = await applySource(connection, options, context);
    const url = options.wait
      ? await showRollout(connection, { ...applied, timeoutMs }, context)
      : undefined;
    const { output = 'table' } = options;
    if (output === 'table') {
      if (url !== undefined) context.stdout.write(`${url}\n`);
    } else {
      const object = await connection.functions.get(applied.key, { signal: context.signal });
      context.stdout.write(await formatObjects(output, object));
    }
  };
  const watched = options.watch === true ? await openSource(options.source, context) : undefined;
  await once();
  if (watched !== undefined) await watchSource(watched, once, context);
}

/** What was applied. */
export interface Applied {
  readonly key: { readonly namespace: string; readonly name: string };
  /** Whether it says that its code is being worked on. */
  readonly development: boolean;
}

/** Builds the manifests from files and flags, and applies them: the Secret first. */
export async function applySource(
  connection: Connection,
  options: SourceFlags & {
    readonly name: string;
    readonly source: string;
    /** Whether it is to say so of a Function that has Pods of its own. */
    readonly development?: boolean;
  },
  context: CliContext,
): Promise<Applied> {
  const { namespace } = connection;
  const { name } = options;
  const { signal, workingDirectory, ownOutput, stderr } = context;
  const key = { namespace, name };
  const before = await connection.functions.tryGet(key, { signal });
  const development = options.development === true && hasOwnPods(before);
  const until = before?.metadata.annotations?.[developmentUntilAnnotation];
  const developed = { functions: connection.functions, key, clock: context.clock };
  if (development) {
    if (isSoon(until, context.clock.now())) await putOffDevelopmentEnd(developed, signal);
  } else if (until !== undefined) await endDevelopment(developed, signal);
  const manifests = await buildManifests({
    name,
    namespace,
    source: options.source,
    flags: options,
    development,
    runtimes: options.runtime === undefined ? await tryListRuntimes(connection, context) : [],
    workingDirectory,
    ownOutput,
  });
  if (manifests.packed !== undefined) {
    await using packed = manifests.packed;
    await uploadSource(connection, packed, context);
  }
  // The Function waits for a Secret that is missing; in this order it does not have to.
  if (manifests.secret !== undefined) {
    await connection.secrets.apply(manifests.secret, { force: true, signal });
  }
  const others = Object.keys(before?.spec.source ?? {}).filter(
    (kind) => !Object.hasOwn(manifests.source, kind),
  );
  if (others.length > 0) {
    // Applying leaves alone what others wrote, and a Function has one source only.
    const none = Object.fromEntries(others.map((kind) => [kind, null]));
    const patch = { spec: { source: { ...none, ...manifests.source } } };
    await connection.functions.patch(key, { type: 'merge', patch }, { signal });
  }
  const after = await connection.functions.apply(manifests.function, { force: true, signal });
  if (manifests.secret !== undefined && after.metadata.uid !== undefined) {
    await connection.secrets.apply(ownedBy(manifests.secret, { name, uid: after.metadata.uid }), {
      force: true,
      signal,
    });
  }
  stderr.write(`function/${name} ${describeChange(before?.metadata, after.metadata)}\n`);
  return { key, development };
}

/** Whether it is in a cluster, and not run by Pods that any other function may have. */
function hasOwnPods(found: FunctionObject | undefined): boolean {
  const { executor: type } = functionConditions;
  const executor = findCondition(found?.status?.conditions, type);
  return executor !== undefined && executor.reason !== functionReasons.pool;
}

interface Generation {
  readonly generation?: number;
}

function describeChange(before: Generation | undefined, after: Generation): string {
  if (before === undefined) return 'created';
  return before.generation === after.generation ? 'unchanged' : 'configured';
}

// So that deleting the Function deletes its Secret.
function ownedBy<T extends { readonly metadata: object }>(
  secret: T,
  owner: { readonly name: string; readonly uid: string },
): T {
  const reference = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', ...owner };
  return { ...secret, metadata: { ...secret.metadata, ownerReferences: [reference] } };
}

/** Shows the steps until the Function is ready; returns its URL. */
export async function showRollout(
  connection: Connection,
  request: Omit<RolloutRequest, 'onStep'>,
  context: CliContext,
): Promise<string> {
  const startMs = context.clock.monotonicMs();
  const url = await waitForRollout(
    connection,
    { ...request, onStep: (step) => context.stderr.write(`  ${step}\n`) },
    context,
  );
  const tookMs = Math.round(context.clock.monotonicMs() - startMs);
  context.stderr.write(`  ready after ${tookMs} ms\n`);
  return url;
}
