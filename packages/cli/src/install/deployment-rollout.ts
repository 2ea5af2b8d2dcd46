import { sleep } from '@fnlet/base';
import { clusterNames } from '@fnlet/server/cluster/names';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { installPollMs } from '../limits.ts';
import {
  type ClusterConnection,
  clusterTypes,
  type DeploymentObject,
} from './cluster-connection.ts';
import { natsName } from './nats-template.ts';

/** How far a Deployment, or a StatefulSet, is. */
export interface DeploymentProgress {
  readonly name: string;
  readonly wanted: number;
  readonly available: number;
  /** Whether all of its Pods are of the newest template, and available. */
  readonly done: boolean;
}

/** Names of the Deployments of an installation. */
export const installedDeployments: readonly string[] = [
  clusterNames.controller,
  clusterNames.gateway,
];

/** As `kubectl rollout status` decides: only new Pods are left, and all of them are available. */
export function decideProgress({ metadata, spec, status }: DeploymentObject): DeploymentProgress {
  const wanted = spec?.replicas ?? 1;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0 } = status ?? {};
  const available = status?.availableReplicas ?? 0;
  const seen = observedGeneration >= (metadata.generation ?? 1);
  const done =
    seen && updatedReplicas >= wanted && replicas <= updatedReplicas && available >= wanted;
  return { name: metadata.name, wanted, available, done };
}

/**
 * How far the Deployments of an installation are, and its NATS; those that do not exist are left
 * out.
 */
export async function readProgress(
  { client, signal }: ClusterConnection,
  namespace: string,
): Promise<readonly DeploymentProgress[]> {
  const deployments = client.of<DeploymentObject>(clusterTypes.deployment);
  const statefulSets = client.of<DeploymentObject>(clusterTypes.statefulSet);
  const found = await Promise.all([
    ...installedDeployments.map((name) => deployments.tryGet({ namespace, name }, { signal })),
    statefulSets.tryGet({ namespace, name: natsName }, { signal }),
  ]);
  return found.filter((deployment) => deployment !== undefined).map(decideProgress);
}

/**
 * Waits until all Pods of the installation are new and available.
 *
 * @throws CliError `timedOut`
 */
export async function waitForDeployments(
  connection: ClusterConnection,
  { namespace, timeoutMs }: { readonly namespace: string; readonly timeoutMs: number },
  { clock, stderr, signal }: CliContext,
): Promise<void> {
  const endMs = clock.monotonicMs() + timeoutMs;
  let said = '';
  for (;;) {
    const progress = await readProgress(connection, namespace);
    const missing = progress.filter(({ done }) => !done);
    if (missing.length === 0 && progress.length >= installedDeployments.length) return;
    const text = missing.map(describeProgress).join(', ');
    if (text !== said) stderr.write(`  waiting for ${text}\n`);
    said = text;
    if (clock.monotonicMs() >= endMs || signal.aborted) {
      const message = `Cannot see Fnlet run: found ${text} after ${timeoutMs / 1000} s, expected all`;
      throw new CliError(exitCodes.timedOut, message, {
        remedy: `Look why: fnlet doctor, and kubectl -n ${namespace} get pods,events`,
      });
    }
    await sleep(clock, installPollMs, signal);
  }
}

/** `fnlet-gateway 1/2`. */
export function describeProgress({ name, available, wanted }: DeploymentProgress): string {
  return `${name} ${available}/${wanted}`;
}
