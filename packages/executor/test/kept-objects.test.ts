/** Objects of Deployments as they are kept, over a real API and on a virtual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@fnlet/apiserver';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import { deploymentType } from '../src/cluster/deployment-type.ts';
import { KeptObjects } from '../src/cluster/kept-objects.ts';
import { clusterLimits } from '../src/cluster/limits.ts';
import { planDeployment } from '../src/cluster/plan-deployment.ts';
import { revisionFixture } from './revision-fixture.ts';

const key = { namespace: 'default', name: 'hello-00001' };

const terms = {
  ownerUrl: 'https://fnlet-controller.fnlet-system.svc:8443',
  programs: { node: { name: 'node-runner', items: [] }, python: { name: 'python', items: [] } },
  authorityConfigMap: 'fnlet-authority',
  requests: { cpu: '10m', memory: '32Mi' },
};

interface Sized extends KubeObject {
  readonly spec: { readonly replicas: number };
}

/** A Deployment of three that an earlier owner has left, and who keeps it now. */
async function keep(
  strayOf: () => number | undefined,
  work: (world: {
    pass(ms: number): Promise<void>;
    replicas(): Promise<number>;
    bring(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const clock = new VirtualClock();
  const base = { clock, random: seededRandom(1), logger: silentLogger };
  await using server = createApiServer({ ...base, store: openMemoryStore(), tokens: [] });
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
  const abort = new AbortController();
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) await clock.advance(Math.min(left, 1_000));
  };
  const pump = async <T>(promise: Promise<T>): Promise<T> => {
    let isOver = false;
    void promise.finally(() => {
      isOver = true;
    });
    for (let turn = 0; !isOver && turn < 2_000; turn++) await clock.advance(turn < 20 ? 0 : 5);
    return promise;
  };
  await pump(server.start());
  const deployments = client.of<Sized>(deploymentType);
  await pump(
    deployments.apply(sized(planDeployment(revisionFixture(), 3, terms)), { force: true }),
  );
  const kept = new KeptObjects({
    ...{ client, planOf: () => undefined, strayOf, onDeployment() {}, onRefused() {} },
    ...base,
  });
  const running = kept.run(abort.signal);
  await work({
    pass,
    bring: () => pump(kept.bring(key, abort.signal)),
    replicas: async () => (await pump(deployments.get(key))).spec.replicas,
  });
  abort.abort();
  await pump(running);
}

function sized(object: KubeObject & { readonly spec: object }): Sized {
  const { replicas } = { replicas: 0, ...object.spec };
  return { ...object, spec: { ...object.spec, replicas } };
}

test('a Deployment that nobody asks for has no more Pods than serve, after a while', async () => {
  let serving = 1;
  await keep(
    () => serving,
    async ({ pass, replicas, bring }) => {
      await pass(clusterLimits.orphanMs - 1_000);
      assert.equal(await replicas(), 3);
      await pass(5_000);
      assert.equal(await replicas(), 1);
      // The last one ends.
      serving = 0;
      await bring();
      assert.equal(await replicas(), 0);
    },
  );
});

test('a Deployment that is nobody’s business, or is wanted, is left alone', async () => {
  await keep(
    () => undefined,
    async ({ pass, replicas }) => {
      await pass(2 * clusterLimits.orphanMs);
      assert.equal(await replicas(), 3);
    },
  );
});
