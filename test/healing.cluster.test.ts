/** Fnlet in a real Kubernetes: what is replaced while it is called, and what does not start. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fnlet, kubectl, needsCluster, tryKubectl } from './cluster.ts';
import { Way } from './cluster-way.ts';
import { until } from './until.ts';

const namespace = 'fnlet-healing';
const installation = 'fnlet-system';
const timeoutMs = 180_000;

async function write(name: string, spec: object): Promise<void> {
  const metadata = { name, namespace };
  const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, spec };
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) });
}

async function apply(name: string, spec: object): Promise<void> {
  await write(name, spec);
  await kubectl([
    ...['-n', namespace, 'wait', '--for=condition=Ready', `function/${name}`, '--timeout=180s'],
  ]);
}

/** A function of Node that answers with a text, with Pods of its own. */
function own(text: string, more: object = {}): object {
  const source = { inline: `export default () => '${text}';` };
  return { runtime: 'nodejs24', executor: 'deployment', source, scale: { min: 1 }, ...more };
}

/** Names of the Pods of a function that are not told to end. */
async function podsOf(name: string): Promise<readonly string[]> {
  const template = '{range .items[*]}{.metadata.name} {.metadata.deletionTimestamp}{"\\n"}{end}';
  const selector = ['-l', `fnlet.dev/function=${name}`, '-o', `jsonpath=${template}`];
  const lines = (await kubectl(['-n', namespace, 'get', 'pods', ...selector])).split('\n');
  return lines.flatMap((line) => {
    const [pod = '', deleted = ''] = line.split(' ');
    return pod === '' || deleted !== '' ? [] : [pod];
  });
}

async function others(name: string, before: readonly string[]): Promise<void> {
  const replaced = async (): Promise<boolean> => {
    const now = await podsOf(name);
    return now.length === before.length && now.every((pod) => !before.includes(pod));
  };
  await until(replaced, { what: `other Pods of ${name}`, timeoutMs });
}

async function reasonOf(name: string): Promise<string> {
  const path = '{.status.conditions[?(@.type=="Ready")].reason}';
  return kubectl(['-n', namespace, 'get', 'function', name, '-o', `jsonpath=${path}`]);
}

async function says(name: string, reason: string): Promise<void> {
  const what = `${name} to say ${reason}`;
  await until(async () => (await reasonOf(name)) === reason, { what, timeoutMs });
}

describe('what heals in a cluster', needsCluster, () => {
  let way: Way;
  before(async () => {
    const { code, stderr } = await fnlet(['install']);
    assert.equal(code, 0, stderr);
    await kubectl(['create', 'namespace', namespace]);
    way = await Way.open(installation);
  });
  after(async () => {
    await way?.[Symbol.asyncDispose]();
    await tryKubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=180s']);
    await fnlet(['uninstall']);
  });

  /** What a function answers while something happens, four calls at a time; each is answered. */
  async function answers(name: string, happening: () => Promise<void>): Promise<readonly string[]> {
    const seen = new Set<string>();
    const stop = new AbortController();
    const calls = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) seen.add(await way.call(`/${namespace}/${name}`));
    });
    try {
      await happening();
    } finally {
      stop.abort();
    }
    await Promise.all(calls);
    return [...seen];
  }

  test('Pods of its own are restarted one by one, and calls go on', async () => {
    await apply('restarted', own('here', { scale: { min: 2 } }));
    await until(async () => (await podsOf('restarted')).length === 2, {
      ...{ what: 'two Pods', timeoutMs },
    });
    const pods = await podsOf('restarted');
    const seen = await answers('restarted', async () => {
      const selector = ['-l', 'fnlet.dev/function=restarted'];
      await kubectl(['-n', namespace, 'rollout', 'restart', 'deployment', ...selector]);
      await others('restarted', pods);
    });
    assert.deepEqual(seen, ['here']);
  });

  test('a Pod that is evicted, as by a drain of its node, is replaced, and calls go on', async () => {
    await apply('drained', own('still here'));
    const pods = await podsOf('drained');
    const [name = ''] = pods;
    const seen = await answers('drained', async () => {
      const eviction = {
        ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } },
      };
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
      await kubectl(['create', '--raw', path, '-f', '-'], { input: JSON.stringify(eviction) });
      await others('drained', pods);
    });
    assert.deepEqual(seen, ['still here']);
  });

  for (const executor of ['deployment', 'pool']) {
    test(`a node is drained of the Pods of a function, and calls wait or go on: ${executor}`, async () => {
      const name = `on-${executor}`;
      await apply(name, own('on a node', { executor }));
      const selector = `fnlet.dev/function=${name}`;
      const where = ['get', 'pods', '-l', selector, '-o', 'jsonpath={.items[0].spec.nodeName}'];
      const node = await kubectl(['-n', namespace, ...where]);
      const pods = await podsOf(name);
      const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=180s'];
      const seen = await answers(name, async () => {
        try {
          await kubectl(['drain', node, `--pod-selector=${selector}`, ...flags]);
        } finally {
          // The only node may be the one: what was asked for in its place waits for it.
          await kubectl(['uncordon', node]);
        }
        await others(name, pods);
      });
      assert.deepEqual(seen, ['on a node']);
    });
  }

  test('new code with Pods of its own takes over without a failed call', async () => {
    await apply('edited', own('one'));
    const seen = await answers('edited', async () => {
      await apply('edited', own('two'));
      await until(async () => (await way.call(`/${namespace}/edited`)) === 'two', {
        ...{ what: 'the new code', timeoutMs },
      });
    });
    assert.deepEqual(seen, ['one', 'two']);
  });

  test('new code takes over step by step, judged by its calls', async () => {
    const rollout = { canary: { steps: [50], interval: '5s', minimumCalls: 10 } };
    const spec = { ...own('old', { rollout }), executor: 'auto' };
    await apply('careful', spec);
    const source = { inline: "export default () => 'new';" };
    const seen = await answers('careful', async () => {
      await write('careful', { ...spec, source });
      await says('careful', 'Canary');
      const wait = ['wait', '--for=condition=Ready', 'function/careful', '--timeout=180s'];
      await kubectl(['-n', namespace, ...wait]);
    });
    assert.deepEqual([...seen].sort(), ['new', 'old']);
    assert.equal(await way.call(`/${namespace}/careful`), 'new');
    const broken = { inline: "export default () => { throw new Error('no'); };" };
    await write('careful', { ...spec, source: broken });
    const stop = new AbortController();
    const calling = (async () => {
      while (!stop.signal.aborted) await (await way.fetch(`/${namespace}/careful`)).text();
    })();
    await says('careful', 'CanaryFailed').finally(() => stop.abort());
    await calling;
    assert.equal(await way.call(`/${namespace}/careful`), 'new');
  });

  test('Pods that no node takes, or have no image, are told of until it is mended', async () => {
    await write('stuck', own('free', { pod: { nodeSelector: { 'example.dev/none': 'here' } } }));
    await says('stuck', 'Unschedulable');
    await write('stuck', own('free', { imageOverride: 'registry.invalid/none:1' }));
    await says('stuck', 'ImagePullBackOff');
    await apply('stuck', own('free'));
    assert.equal(await way.call(`/${namespace}/stuck`), 'free');
  });

  test('a quota that has no room is told of until it has', async () => {
    const quota = ['-n', namespace, 'create', 'quota', 'small', '--hard=pods=0'];
    await kubectl(quota);
    await write('many', own('room'));
    await says('many', 'FailedCreate');
    await kubectl(['-n', namespace, 'delete', 'quota', 'small']);
    const wait = ['wait', '--for=condition=Ready', 'function/many', '--timeout=180s'];
    await kubectl(['-n', namespace, ...wait]);
    assert.equal(await way.call(`/${namespace}/many`), 'room');
  });

  test('what somebody deletes that Pods need is back', async () => {
    await kubectl(['-n', namespace, 'delete', 'networkpolicy', 'fnlet-functions']);
    await kubectl(['-n', namespace, 'delete', 'configmap', 'fnlet-authority']);
    for (const object of ['networkpolicy/fnlet-functions', 'configmap/fnlet-authority']) {
      const found = async (): Promise<boolean> =>
        (await tryKubectl(['-n', namespace, 'get', object])).code === 0;
      await until(found, { what: object, timeoutMs });
    }
  });

  test('fnlet upgrade fails no call, and leaves the Pods that there are', async () => {
    const pods = await podsOf('drained');
    // Of the same release: its Gateways stay, and with them the way that kubectl leads to one.
    const seen = await answers('drained', async () => {
      const { code, stderr } = await fnlet(['upgrade']);
      assert.equal(code, 0, stderr);
    });
    assert.deepEqual(seen, ['still here']);
    assert.deepEqual(await podsOf('drained'), pods);
  });
});
