import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, FnletError, hasCode } from '@fnlet/base';
import { type Kubeconfig, loadKubeconfig } from '@fnlet/client';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

/**
 * Finds the kubeconfig as kubectl would, except that the one of a Fnlet in the working directory
 * comes before the one in the home directory: `file`, `$KUBECONFIG`, `./.fnlet/kubeconfig`,
 * `~/.kube/config`; in a Pod without any, its ServiceAccount.
 *
 * @throws CliError when there is none, or it leads nowhere
 */
export async function findKubeconfig(
  options: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  context: Pick<CliContext, 'env' | 'workingDirectory'>,
): Promise<Kubeconfig> {
  const kubeconfig = options.kubeconfig ?? (await ownKubeconfig(context));
  return findForeignKubeconfig({ kubeconfig, context: options.context }, context);
}

/**
 * Finds the kubeconfig as kubectl would, not that of a Fnlet in the working directory.
 *
 * @throws CliError when there is none, or it leads nowhere
 */
export async function findForeignKubeconfig(
  options: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  { env }: Pick<CliContext, 'env'>,
): Promise<Kubeconfig> {
  const { kubeconfig: file, context } = options;
  return await loadKubeconfig({ env, file, context }).catch((cause: unknown) => {
    throw new CliError(exitCodes.unreachable, errorMessage(cause), {
      cause,
      remedy: kubeconfigRemedy(cause),
    });
  });
}

function kubeconfigRemedy(error: unknown): string {
  const remedy = error instanceof FnletError ? error.remedy : undefined;
  return remedy === undefined || hasCode(error, 'NotFound')
    ? 'Start Fnlet here with "fnlet up", or name a kubeconfig with --kubeconfig or KUBECONFIG'
    : remedy;
}

async function ownKubeconfig({
  env,
  workingDirectory,
}: Pick<CliContext, 'env' | 'workingDirectory'>): Promise<string | undefined> {
  if (env.KUBECONFIG !== undefined && env.KUBECONFIG !== '') return undefined;
  const own = join(workingDirectory, '.fnlet', 'kubeconfig');
  return access(own).then(
    () => own,
    () => undefined,
  );
}
