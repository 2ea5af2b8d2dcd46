import { createHttpTransport } from '@fnlet/client';
import { runGateway } from '@fnlet/server/cluster/gateway';
import { resolveGatewayConfig } from '@fnlet/server/cluster/settings';
import { createConsoleLogger } from '@fnlet/server/console-logger';
import { ownYoungGeneration } from '@fnlet/server/young-generation';
import type { CliContext } from '../cli-context.ts';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { ClusterPartFlags } from '../flags.ts';

/** `fnlet gateway`: runs until SIGTERM. */
export async function gateway(options: ClusterPartFlags, context: CliContext): Promise<void> {
  const { clock, random, signal, stderr, env } = context;
  ownYoungGeneration()?.hold();
  const config = resolveGatewayConfig({ flags: options.flags, env });
  const write = (line: string): void => void stderr.write(line);
  const logger = createConsoleLogger({ level: config.logLevel, clock, write });
  const api = await findKubeconfig(options, context);
  await using transport = createHttpTransport(api);
  await runGateway({ config, api, transport, clock, random, logger, environment: env }, signal);
}
