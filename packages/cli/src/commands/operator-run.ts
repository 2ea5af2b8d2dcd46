import { preferSmallHeap } from '@fnlet/server/small-heap';
import { ownYoungGeneration } from '@fnlet/server/young-generation';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { loadOperatorModule } from '../operator/operator-module.ts';
import { type RunOptions, runByKubeconfig } from '../operator/run.ts';

export interface OperatorRunFlags extends GlobalOptions {
  readonly leaderElect?: boolean;
  readonly shards?: boolean;
  readonly healthPort?: number;
  readonly logLevel: NonNullable<RunOptions['logLevel']>;
  readonly webhookPort?: number;
  readonly webhookService?: string;
  readonly webhookUrl?: string;
  readonly install: boolean;
}

/** `fnlet operator run`: runs what a module exports, until Ctrl-C. */
export async function runOperatorFile(
  file: string,
  { leaderElect, webhookPort: port, webhookService, webhookUrl, ...flags }: OperatorRunFlags,
  context: CliContext,
): Promise<void> {
  const { operators } = await loadOperatorModule(file, context);
  if (operators.length === 0) {
    throw new CliError(
      exitCodes.failed,
      `Cannot run "${file}": it exports kinds, but no operator`,
      {
        remedy: 'Write "export default operator(…)", with operator from fnlet/operator',
      },
    );
  }
  preferSmallHeap();
  ownYoungGeneration()?.hold();
  const webhooks = { port, service: webhookService, url: webhookUrl };
  await runByKubeconfig(operators, { ...flags, webhooks, leaderElection: leaderElect }, context);
}
