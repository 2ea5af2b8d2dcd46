/** Fnlet installed in a real Kubernetes: functions answer, sleep, wake, and survive what ends Pods. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fnlet, kubectl, needsCluster, tryKubectl } from './cluster.ts';
import { Way } from './cluster-way.ts';
import { until } from './until.ts';

const namespace = 'fnlet-conformance';
const installation = 'fnlet-system';
const timeoutMs = 120_000;

async function apply(name: string, spec: object): Promise<void> {
  const metadata = { name, namespace };
  const input = JSON.stringify({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, spec },
  });
  await kubectl(['apply', '-f', '-'], { input });
  const ready = ['--for=condition=Ready', `function/${name}`, '--timeout=120s'];
  await kubectl(['-n', namespace, 'wait', ...ready]);
}

function node(inline: string): object {
  return { runtime: 'nodejs24', source: { inline } };
}

async function podsOf(name: string): Promise<readonly string[]> {
  const selector = ['-l', `fnlet.dev/function=${name}`, '-o', 'name'];
  return (await kubectl(['-n', namespace, 'get', 'pods', ...selector])).split('\n').filter(Boolean);
}

async function gone(name: string): Promise<void> {
  const what = `all Pods of ${name} to end`;
  await until(async () => (await podsOf(name)).length === 0, { what, timeoutMs });
}

describe('functions in a cluster', needsCluster, () => {
  let way: Way;
  const call = (name: string): Promise<string> => way.call(`/${namespace}/${name}`);
  before(async () => {
    const { code, stderr } = await fnlet(['install']);
    assert.equal(code, 0, stderr);
    await kubectl(['create', 'namespace', namespace]);
    await apply('hello', {
      ...node("export default () => 'Hello ' + process.env.WHOM;"),
      env: [{ name: 'WHOM', value: 'Ada' }],
      scale: { idleAfter: '2s' },
    });
    way = await Way.open(installation);
  });
  after(async () => {
    await way?.[Symbol.asyncDispose]();
    await tryKubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s']);
    await fnlet(['uninstall']);
  });

  test('fnlet status and doctor find nothing wrong', async () => {
    for (const command of ['status', 'doctor']) {
      const { code, stdout } = await fnlet([command]);
      assert.equal(code, 0, stdout);
    }
  });

  test('a function of Node sleeps, and wakes when it is called', async () => {
    for (let round = 0; round < 3; round++) {
      await gone('hello');
      assert.equal(await call('hello'), 'Hello Ada');
      assert.equal((await podsOf('hello')).length, 1);
    }
  });

  test('a function of Python does', async () => {
    const inline = 'def main(event, context):\n    return "Hello from Python"\n';
    await apply('snake', { runtime: 'python312', source: { inline }, scale: { idleAfter: '2s' } });
    assert.equal(await call('snake'), 'Hello from Python');
    await gone('snake');
    assert.equal(await call('snake'), 'Hello from Python');
  });

  test('a Pod that is deleted is replaced', async () => {
    await apply('steady', { ...node("export default () => 'here';"), scale: { min: 1 } });
    const [pod = ''] = await podsOf('steady');
    await kubectl(['-n', namespace, 'delete', pod, '--grace-period=0', '--force']);
    await until(async () => (await podsOf('steady')).some((name) => name !== pod), {
      ...{ what: 'another Pod', timeoutMs },
    });
    assert.equal(await call('steady'), 'here');
  });

  test('new code takes over without a failed call', async () => {
    const scale = { min: 1 };
    await apply('edited', { ...node("export default () => 'one';"), scale });
    const seen = new Set<string>();
    const stop = new AbortController();
    const calls = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) seen.add(await call('edited'));
    });
    try {
      await apply('edited', { ...node("export default () => 'two';"), scale });
      await until(() => seen.has('two'), { what: 'the new code', timeoutMs });
    } finally {
      stop.abort();
    }
    await Promise.all(calls);
    assert.deepEqual([...seen], ['one', 'two']);
    assert.equal(await call('edited'), 'two');
  });

  test('functions outlive the controller that leads, and the next one makes more', async () => {
    const lease = [
      '-n',
      installation,
      'get',
      'lease',
      '-o',
      'jsonpath={.items[*].spec.holderIdentity}',
    ];
    const holder = (await kubectl(lease)).split(' ')[0] ?? '';
    const pods = await kubectl(['-n', installation, 'get', 'pods', '-o', 'name']);
    const leader = pods.split('\n').find((name) => holder.includes(name.replace('pod/', '')));
    assert.ok(leader, `${holder} is none of ${pods}`);
    const before = await podsOf('steady');
    await kubectl(['-n', installation, 'delete', leader, '--grace-period=0', '--force']);
    assert.equal(await call('steady'), 'here');
    await apply('later', node("export default () => 'later';"));
    assert.equal(await call('later'), 'later');
    // Another one may have been started meanwhile: none was known to the next controller at first.
    const outlived = await podsOf('steady');
    assert.ok(
      before.every((pod) => outlived.includes(pod)),
      `${outlived} without ${before}`,
    );
  });

  test('a function that does not load says why', async () => {
    const metadata = { name: 'broken', namespace };
    const spec = node('export default () => {');
    const input = JSON.stringify({
      ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, spec },
    });
    await kubectl(['apply', '-f', '-'], { input });
    const wait = ['wait', '--for=condition=Ready=False', 'function/broken', '--timeout=120s'];
    await kubectl(['-n', namespace, ...wait]);
    const { stdout } = await fnlet(['describe', 'broken', '-n', namespace]);
    assert.match(stdout, /Cannot read handler\.ts:1:1: Expected '}'/);
  });
});

test('what is uninstalled is gone, and the kinds stay', needsCluster, async () => {
  const found = await kubectl([
    'get',
    'deployments,clusterroles,priorityclasses',
    '-A',
    '-o',
    'name',
  ]);
  assert.doesNotMatch(found, /fnlet/);
  assert.match(await kubectl(['get', 'crd', '-o', 'name']), /functions\.fnlet\.dev/);
});
