import { errorMessage } from '@fnlet/base';
import { createConsoleLogger, type Endpoints, resolveConfig, startServer } from '@fnlet/server';
import type { CliContext } from '../cli-context.ts';
import type { UpFlags } from '../flags.ts';
import { formatDocument } from '../output.ts';
import { quoteForShell } from '../shell-word.ts';

/** `fnlet up`: an embedded Fnlet until Ctrl-C; a second Ctrl-C does not wait for calls in flight. */
export async function up(
  { flags, output }: UpFlags & { readonly flags: Readonly<Record<string, string>> },
  context: CliContext,
): Promise<void> {
  const { clock, random, signal, stderr, stdout, env, command } = context;
  const config = resolveConfig({ flags, env });
  const write = (line: string): void => {
    stderr.write(line);
  };
  const logger = createConsoleLogger({ level: config.logLevel, clock, write });
  const server = await startServer({ config, clock, random, logger, environment: env });
  const { endpoints } = server;
  stdout.write(
    output ? await formatDocument(output, endpoints) : formatWelcome(endpoints, command),
  );
  try {
    await Promise.race([server.failed, aborted(signal)]);
    stderr.write('Stopping; calls in flight may finish. Ctrl-C again stops at once.\n');
  } finally {
    await server.close().catch((error: unknown) => {
      logger.error('Could not stop cleanly', { error: errorMessage(error) });
      process.exitCode = 1;
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function formatWelcome(endpoints: Endpoints, command: string): string {
  const { gateway, gatewayTls } = endpoints;
  if (gateway === undefined) return formatClusterWelcome(endpoints, command);
  return `
Fnlet is running.

  API         ${endpoints.api}
  Gateway     ${gatewayTls === undefined ? gateway : `${gateway}, ${gatewayTls}`}
  Status page ${endpoints.dashboard}
  kubeconfig  ${endpoints.kubeconfig}

Next, in another shell:

  ${command} init hello && ${command} deploy hello hello
  export KUBECONFIG=${quoteForShell(endpoints.kubeconfig)} && kubectl get functions

`;
}

function formatClusterWelcome({ api, kubeconfig }: Endpoints, command: string): string {
  return `
A cluster is running; Functions are left to a controller and Gateways elsewhere.

  API         ${api}
  kubeconfig  ${kubeconfig}

Next, in another shell:

  export KUBECONFIG=${quoteForShell(kubeconfig)} && ${command} controller --help

`;
}
