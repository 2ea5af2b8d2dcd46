import { errorMessage } from '@fnlet/base';
import { createConsoleLogger, resolveConfig, type Server, startServer } from '@fnlet/server';
import type { CliContext } from '../cli-context.ts';

/** `fnlet up`: an embedded Fnlet until Ctrl-C; a second Ctrl-C does not wait for calls in flight. */
export async function up(
  flags: Readonly<Record<string, string>>,
  context: CliContext,
): Promise<void> {
  const { clock, random, signal, stderr, stdout } = context;
  const config = resolveConfig({ flags, env: context.env });
  const write = (line: string): void => void stderr.write(line);
  const logger = createConsoleLogger({ level: config.logLevel, clock, write });
  const server = await startServer({ config, clock, random, logger, signal });
  stdout.write(formatWelcome(server));
  await server.ended;
  stderr.write('Stopping; calls in flight may finish. Ctrl-C again stops at once.\n');
  await server.close().catch((error: unknown) => {
    logger.error('Stopped with an error', { error: errorMessage(error) });
    process.exitCode = 1;
  });
}

function formatWelcome({ endpoints }: Server): string {
  return `
Fnlet is running.

  API         ${endpoints.api}
  Gateway     ${endpoints.gateway}
  Status page ${endpoints.dashboard}
  kubeconfig  ${endpoints.kubeconfig}

Next, in another shell:

  npx fnlet init hello && npx fnlet deploy hello hello
  export KUBECONFIG=${endpoints.kubeconfig} && kubectl get functions

`;
}
