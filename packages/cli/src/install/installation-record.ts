import type { KubeObject } from '@fnlet/machinery';
import { fnletVersion } from '@fnlet/server/version';
import { parse, stringify } from 'yaml';
import { type ClusterConnection, clusterTypes } from './cluster-connection.ts';
import {
  type InstallValues,
  nestValues,
  parseInstallValues,
  selectSettings,
} from './install-settings.ts';
import { installationLabel } from './installation-labels.ts';

const recordName = 'fnlet-installation';
const nameLabel = 'app.kubernetes.io/name';

/** What was installed, and with which values. */
export interface InstallationRecord {
  readonly namespace: string;
  readonly version: string;
  /** As another release may have written it: `readRecordedValues` reads it. */
  readonly file: unknown;
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
    file: parse(data['values.yaml'] ?? ''),
  }));
}

/**
 * The values of an installation, as far as this release has their settings: one that is brought
 * back to an older release, or on to one without a setting, goes on with the others.
 *
 * @throws CliError `usage` for a value that its setting cannot have any more
 */
export function readRecordedValues({ file }: InstallationRecord): {
  readonly values: InstallValues;
  readonly left: readonly string[];
} {
  const { known, unknown } = selectSettings(file);
  return { values: parseInstallValues(known), left: unknown };
}
