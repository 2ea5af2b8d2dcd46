import { errorMessage, hasCode, isJsonObject, sleep } from '@fnlet/base';
import { resourcePath } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect, type PodObject } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { LogsFlags } from '../flags.ts';
import { decideLineFormat, LogPrinter } from '../log-printer.ts';
import { planPodLog, restartsOf } from '../pod-log.ts';

export interface LogsOptions extends LogsFlags {
  readonly name: string;
}

/** `fnlet logs`: what the Instances of a Function wrote; with `--follow`, later ones as well. */
export async function logs(options: LogsOptions, context: CliContext): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  // A name that does not exist is an error, not an empty log.
  await connection.functions.get({ namespace, name: options.name }, { signal: context.signal });
  // A run that is over has nothing to follow, as in kubectl.
  if (options.follow === true && options.previous !== true) {
    await followLogs(connection, options, context);
    return;
  }
  const labelSelector = `fnlet.dev/function=${options.name}`;
  const { signal, stderr, stdout, command } = context;
  const items = await Array.fromAsync(
    connection.pods.listAll({ namespace, labelSelector, signal }),
  );
  if (items.length === 0) {
    stderr.write(
      `Function "${options.name}" is asleep: no Instance, so no log. ` +
        `Call it, or wait for it with: ${command} logs -f ${options.name}\n`,
    );
  }
  const printer = new LogPrinter(stdout, decideLineFormat(options.output, items.length > 1));
  const read = await printAll(connection, { pods: items, printer, options }, context);
  if (read > 0 || items.length === 0 || options.previous !== true) return;
  const text = `Cannot show a run before of Function "${options.name}": found none`;
  throw new CliError(exitCodes.failed, text, {
    remedy:
      'What is kept is the run before the last restart of a Pod, and nothing of Pods that went',
  });
}

/** Prints one log after the other; returns how many there were. */
async function printAll(
  connection: Connection,
  terms: {
    readonly pods: readonly PodObject[];
    readonly printer: LogPrinter;
    readonly options: LogsOptions;
  },
  context: CliContext,
): Promise<number> {
  const { pods, printer, options } = terms;
  let failure: unknown;
  let read = 0;
  for (const pod of pods) {
    const plan = planPodLog(pod, { previous: options.previous === true });
    if (plan.kind === 'none') {
      context.stderr.write(`No log of ${pod.metadata.name}: ${plan.why}\n`);
      continue;
    }
    try {
      const { container } = plan;
      await printLog(connection, { pod, container, printer, options }, context);
      read += 1;
    } catch (error) {
      // The others have logs to be shown, too.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return read;
}

/** Prints the logs of all Instances that are there or come, until Ctrl-C. */
export async function followLogs(
  connection: Connection,
  options: LogsOptions,
  context: CliContext,
): Promise<void> {
  const { namespace, pods } = connection;
  const printer = new LogPrinter(context.stdout, decideLineFormat(options.output, true));
  const followed = new FollowedPods();
  const printing = new Set<Promise<unknown>>();
  const labelSelector = `fnlet.dev/function=${options.name}`;
  while (!context.signal.aborted) {
    try {
      const watch = pods.watch({ namespace, labelSelector, signal: context.signal });
      for await (const event of watch) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        const pod = event.object;
        const plan = planPodLog(pod, { previous: false });
        const { phase = 'Pending' } = pod.status ?? {};
        if (plan.kind === 'none' || phase === 'Pending' || !followed.begin(pod)) continue;
        const { container } = plan;
        const printed = followPod(
          connection,
          { pod, container, printer, options, followed },
          context,
        )
          .catch((error: unknown) => context.stderr.write(`${errorMessage(error)}\n`))
          .finally(() => printing.delete(printed));
        printing.add(printed);
      }
    } catch (error) {
      if (context.signal.aborted) break;
      if (!hasCode(error, 'Interrupted') && !hasCode(error, 'Expired')) throw error;
    }
    // A server that ends watches at once must not be asked in a tight loop.
    await sleep(context.clock, 200, context.signal);
  }
  await Promise.allSettled(printing);
}

/** Prints one run of a Pod after the other, for as long as there are others. */
async function followPod(
  connection: Connection,
  { followed, ...request }: PrintRequest & { readonly followed: FollowedPods },
  context: CliContext,
): Promise<void> {
  const { tail: _, ...whole } = request.options;
  await printLog(connection, request, context).catch((error: unknown) => {
    followed.end(request.pod);
    throw error;
  });
  for (let pod = followed.end(request.pod); pod !== undefined; pod = followed.end(pod)) {
    // Of what begins while somebody looks on, all is new.
    await printLog(connection, { ...request, pod, options: whole }, context);
  }
}

/**
 * Which Pods are followed. A log ends with the run of its container: what a kubelet starts anew is
 * followed anew, once, whether the end of the log or the news of the restart comes first.
 */
class FollowedPods {
  readonly #pods = new Map<string, { restarts: number; open: boolean; next?: PodObject }>();

  /** Whether this run is to be followed from now on. */
  begin(pod: PodObject): boolean {
    const { name } = pod.metadata;
    const restarts = restartsOf(pod);
    const known = this.#pods.get(name);
    if (known !== undefined && known.restarts >= restarts) return false;
    if (known?.open === true) {
      known.next = pod;
      return false;
    }
    this.#pods.set(name, { restarts, open: true });
    return true;
  }

  /** Its log has ended; returns the Pod where another run has begun meanwhile, which is followed. */
  end({ metadata: { name } }: PodObject): PodObject | undefined {
    const known = this.#pods.get(name);
    const next = known?.next;
    if (known === undefined) return undefined;
    if (next === undefined) known.open = false;
    else this.#pods.set(name, { restarts: restartsOf(next), open: true });
    return next;
  }
}

interface PrintRequest {
  readonly pod: PodObject;
  readonly container: string | undefined;
  readonly printer: LogPrinter;
  readonly options: LogsOptions;
}

async function printLog(
  { transport, pods }: Connection,
  { pod, container, printer, options }: PrintRequest,
  context: CliContext,
): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  const response = await transport.request({
    method: 'GET',
    path: resourcePath(pods.type, { namespace, name, subresource: 'log' }),
    query: {
      ...(container === undefined ? {} : { container }),
      ...(options.previous === true ? { previous: 'true' } : {}),
      ...(options.follow === true && options.previous !== true ? { follow: 'true' } : {}),
      ...(options.timestamps === true ? { timestamps: 'true' } : {}),
      ...(options.tail === undefined ? {} : { tailLines: String(options.tail) }),
    },
    signal: context.signal,
  });
  if (response.status !== 200) {
    const found = await response.json();
    const said = isJsonObject(found) ? found.message : found;
    const message = `Cannot read the log of Pod "${name}": ${said}`;
    throw new CliError(response.status === 404 ? exitCodes.notFound : exitCodes.failed, message);
  }
  try {
    for await (const chunk of response.bytes()) printer.write(name, chunk);
  } catch (error) {
    if (!context.signal.aborted) throw error;
  } finally {
    printer.end(name);
  }
}
