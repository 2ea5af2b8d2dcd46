import { isJsonObject, randomName } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';
import type { InstallValues } from './install-settings.ts';
import { installationLabel } from './installation-labels.ts';
import { natsClusterSize, natsName, natsPorts, natsUser } from './nats-template.ts';

/** Of 27 kinds: 190 bits. */
const passwordCharacters = 40;

/**
 * The Secret of an installed NATS: the password, and where events are kept. A password that is
 * there stays, so that an upgrade changes nothing.
 */
export async function applyNatsSecret(
  { client, signal }: ClusterConnection,
  { namespace, values }: { readonly namespace: string; readonly values: InstallValues },
  { random }: Pick<CliContext, 'random'>,
): Promise<void> {
  if (values['nats.enabled'] !== true) return;
  const secrets = client.of<KubeObject>(clusterTypes.secret);
  const known = passwordOf(await secrets.tryGet({ namespace, name: natsName }, { signal }));
  // NATS reads a variable as a value of its configuration: what begins with a digit is a number.
  const password = known ?? `p${randomName(random, passwordCharacters)}`;
  const replicas = values['nats.cluster'] === true ? `&replicas=${natsClusterSize}` : '';
  const host = `${natsName}.${namespace}.svc`;
  // The monitoring tells that what is acknowledged is on the disk.
  const query = `monitor=http://${host}:${natsPorts.monitor}${replicas}`;
  const url = `nats://${natsUser}:${password}@${host}:${natsPorts.client}?${query}`;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: natsName,
      namespace,
      labels: { 'app.kubernetes.io/part-of': 'fnlet', [installationLabel]: namespace },
    },
    data: { password: base64(password), url: base64(url) },
  };
  await secrets.apply(secret, { force: true, signal });
}

function passwordOf(secret: KubeObject | undefined): string | undefined {
  const data = isJsonObject(secret?.data) ? secret.data : {};
  return typeof data.password === 'string'
    ? Buffer.from(data.password, 'base64').toString()
    : undefined;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
