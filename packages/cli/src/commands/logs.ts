import { errorMessage, hasCode, isJsonObject, sleep } from '@fnlet/base';
import { resourcePath } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect, type PodObject } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { LogsFlags } from '../flags.ts';
import { decideLineFormat, LogPrinter } from '../log-printer.ts';

export interface LogsOptions extends LogsFlags {
  readonly name: string;
}

/** `fnlet logs`: what the Instances of a Function wrote; with `--follow`, later ones as well. */
export async function logs(options: LogsOptions, context: CliContext): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  // A name that does not exist is an error, not an empty log.
  await connection.functions.get({ namespace, name: options.name }, { signal: context.signal });
  if (options.follow === true) {
    await followLogs(connection, options, context);
    return;
  }
  const labelSelector = `fnlet.dev/function=${options.name}`;
  const { items } = await connection.pods.list({
    namespace,
    labelSelector,
    signal: context.signal,
  });
  if (items.length === 0) {
    context.stderr.write(
      `Function "${options.name}" is asleep: no Instance, so no log. ` +
        `Call it, or wait for it with: ${context.command} logs -f ${options.name}\n`,
    );
  }
  const format = decideLineFormat(options.output, items.length > 1);
  const printer = new LogPrinter(context.stdout, format);
  let failure: unknown;
  for (const pod of items) {
    try {
      await printLog(connection, { pod, printer, options }, context);
    } catch (error) {
      // The others have logs to be shown, too.
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

/** Prints the logs of all Instances that are there or come, until Ctrl-C. */
export async function followLogs(
  connection: Connection,
  options: LogsOptions,
  context: CliContext,
): Promise<void> {
  const { namespace, pods } = connection;
  const printer = new LogPrinter(context.stdout, decideLineFormat(options.output, true));
  const followed = new Set<string>();
  const printing: Promise<unknown>[] = [];
  const labelSelector = `fnlet.dev/function=${options.name}`;
  while (!context.signal.aborted) {
    try {
      const watch = pods.watch({ namespace, labelSelector, signal: context.signal });
      for await (const event of watch) {
        if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
        const pod = event.object;
        const { phase = 'Pending' } = pod.status ?? {};
        if (followed.has(pod.metadata.name) || phase === 'Pending') continue;
        followed.add(pod.metadata.name);
        const printed = printLog(connection, { pod, printer, options }, context);
        printing.push(printed.catch((error) => context.stderr.write(`${errorMessage(error)}\n`)));
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

interface PrintRequest {
  readonly pod: PodObject;
  readonly printer: LogPrinter;
  readonly options: LogsOptions;
}

async function printLog(
  { transport, pods }: Connection,
  { pod, printer, options }: PrintRequest,
  context: CliContext,
): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  const response = await transport.request({
    method: 'GET',
    path: resourcePath(pods.type, { namespace, name, subresource: 'log' }),
    query: {
      ...(options.follow === true ? { follow: 'true' } : {}),
      ...(options.previous === true ? { previous: 'true' } : {}),
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
