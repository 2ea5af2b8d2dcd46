/** `kubectl drain` of the node of a function, in a cluster: its calls wait, and none fails. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  applyObject,
  awaitCondition,
  clusterWaitMs,
  functionType,
  testNamespace,
} from './cluster-objects.ts';
import { ClusterParts, type GatewayPart } from './cluster-parts.ts';
import { until } from './until.ts';

let cluster: ClusterParts;
let gateway: GatewayPart;

before(async () => {
  cluster = await ClusterParts.start();
  await cluster.controller();
  gateway = await cluster.gateway();
});

after(() => cluster[Symbol.asyncDispose]());

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.api.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Calls a function again and again while something happens; each call has to be answered. */
async function calling(name: string, happening: Promise<void>): Promise<void> {
  let isOver = false;
  const over = happening.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    const answer = await fetch(`${gateway.url}/${testNamespace}/${name}`);
    assert.deepEqual([answer.status, await answer.text()], [200, name], cluster.output());
  }
  await over;
}

for (const executor of ['deployment', 'pool']) {
  test(`a node is drained of the Pods of a function, and no call fails: ${executor}`, async () => {
    const source = { inline: `export default () => '${executor}';` };
    const spec = { runtime: 'nodejs24', executor, source, scale: { min: 1 } };
    await applyObject(cluster, functionType, { name: executor, spec });
    await awaitCondition(cluster, functionType, { name: executor });
    const selector = `fnlet.dev/function=${executor}`;
    const look = (path: string): Promise<string> =>
      kubectl('get', 'pods', '-l', selector, '-o', `jsonpath={.items[*]${path}}`);
    const [node, before] = [await look('.spec.nodeName'), await look('.metadata.name')];
    const drain = async (): Promise<void> => {
      const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=60s'];
      await kubectl('drain', node, `--pod-selector=${selector}`, ...flags);
      // There is one node: what was asked for in the place of that Pod waits for it.
      await kubectl('uncordon', node);
      await until(
        async () => {
          const now = await look('.metadata.name');
          return now !== '' && !now.includes(before);
        },
        { what: `another Pod of ${executor}`, timeoutMs: clusterWaitMs },
      );
    };
    await calling(executor, drain());
  });
}
