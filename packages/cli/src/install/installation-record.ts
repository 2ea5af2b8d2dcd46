import type { KubeObject } from '@fnlet/machinery';
import { fnletVersion } from '@fnlet/server/version';
import { parse, stringify } from 'yaml';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';
import { type InstallValues, nestValues, parseInstallValues } from './install-settings.ts';
import { installationLabel } from './installation-labels.ts';

const recordName = 'fnlet-installation';
const nameLabel = 'app.kubernetes.io/name';

/** What was installed, and with which values. */
export interface InstallationRecord {
  readonly namespace: string;
  readonly version: string;
  readonly values: InstallValues;
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** A ConfigMap that says what was installed: the next upgrade goes on from it. */
export function planRecord(namespace: string, values: InstallValues): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: recordName,
      namespace,
      labels: {
        [nameLabel]: recordName,
        'app.kubernetes.io/part-of': 'fnlet',
        [installationLabel]: namespace,
      },
    },
    data: { version: fnletVersion, 'values.yaml': stringify(nestValues(values)) },
  };
}

/** Every installation of the cluster that this command made. */
export async function readRecords({
  client,
  signal,
}: ClusterConnection): Promise<readonly InstallationRecord[]> {
  const labelSelector = `${nameLabel}=${recordName}`;
  const { items } = await client
    .of<ConfigMap>(clusterTypes.configMap)
    .list({ labelSelector, signal });
  return items.map(({ metadata, data = {} }) => ({
    namespace: metadata.namespace ?? '',
    version: data.version ?? 'unknown',
    values: parseInstallValues(parse(data['values.yaml'] ?? '')),
  }));
}
