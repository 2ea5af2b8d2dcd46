/** What `fnlet doctor` says of the NATS that an installation names, which is a real one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import type { ResourceType } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import { findNatsPrograms, NatsServer } from '../packages/store/test/nats-server.ts';
import { clusterWaitMs as timeoutMs } from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

const program = findNatsPrograms().find(({ version }) => !version.startsWith('2.9.'));
const skip = program === undefined && 'no nats-server from 2.10 on is on this machine';

const deploymentType: ResourceType = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
};

/** As an installation has it: here the controller is a process of the test's own. */
async function describeController(cluster: ClusterParts, url: string): Promise<void> {
  const { controller: name } = clusterNames;
  const labels = { 'app.kubernetes.io/name': name };
  const env = [{ name: 'FNLET_EVENTS_LOG', value: url }];
  await cluster.client.of(deploymentType).create({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name, namespace: clusterNames.namespace },
    ...{
      spec: {
        ...{ replicas: 0, selector: { matchLabels: labels } },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'controller', image: 'fnlet', env }] },
        },
      },
    },
  });
}

/** What it says about NATS, a line each. */
async function doctor(cluster: ClusterParts): Promise<string> {
  const { stdout } = await cluster.api.cli(['doctor', '-o', 'json']);
  const told: unknown = JSON.parse(stdout);
  const findings = isJsonObject(told) && Array.isArray(told.findings) ? told.findings : [];
  return findings
    .filter(isJsonObject)
    .filter(({ check }) => `${check}`.startsWith('NATS'))
    .map(({ check, state, found }) => `${state} ${check}: ${found}\n`)
    .join('');
}

test('doctor looks at the NATS that keeps events, from inside', { skip }, async () => {
  assert.ok(program !== undefined);
  const settings = 'jetstream { store_dir: STORE, sync_interval: always }';
  await using nats = await NatsServer.start(program, settings);
  const url = `${nats.url}?monitor=${encodeURIComponent(nats.monitor)}`;
  await using cluster = await ClusterParts.start();
  await describeController(cluster, url);
  await cluster.controller(undefined, ['--events-log', url]);
  let last = '';
  const says = async (wanted: RegExp): Promise<void> => {
    const isSo = async (): Promise<boolean> => {
      last = await doctor(cluster);
      return wanted.test(last);
    };
    await until(isSo, { what: String(wanted), timeoutMs }).catch((error: unknown) => {
      throw new Error(`${last}\n${cluster.output()}`, { cause: error });
    });
  };
  // The controller has to lead first.
  await says(/^ok NATS: nats-server \d+\.\d+\.\d+ with JetStream$/m);
  assert.match(last, /^ok NATS durability: what is acknowledged is on the disk/m);
  assert.match(last, /^ok NATS replicas: the stream is made by the first event, with 1$/m);
  assert.match(last, /^ok NATS storage: 0 MiB used/m);
  await nats.stop('SIGKILL');
  await says(/^fail NATS: not reached: /m);
});
