import { createHttpTransport } from '@fnlet/client';
import { runController } from '@fnlet/server/cluster/controller';
import { resolveControllerConfig } from '@fnlet/server/cluster/settings';
import { createConsoleLogger } from '@fnlet/server/console-logger';
import { preferSmallHeap } from '@fnlet/server/small-heap';
import { ownYoungGeneration } from '@fnlet/server/young-generation';
import type { CliContext } from '../cli-context.ts';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { ClusterPartFlags } from '../flags.ts';

/** `fnlet controller`: runs until SIGTERM. */
export async function controller(options: ClusterPartFlags, context: CliContext): Promise<void> {
  const { clock, random, signal, stderr, env } = context;
  // Before caches are filled: what they read is garbage at once, and would make the heap grow.
  preferSmallHeap();
  ownYoungGeneration()?.hold();
  const config = resolveControllerConfig({ flags: options.flags, env });
  const write = (line: string): void => void stderr.write(line);
  const logger = createConsoleLogger({ level: config.logLevel, clock, write });
  const api = await findKubeconfig(options, context);
  await using transport = createHttpTransport(api);
  await runController({ config, api, transport, clock, random, logger, environment: env }, signal);
}
