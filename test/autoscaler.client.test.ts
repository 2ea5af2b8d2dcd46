/** HorizontalPodAutoscalers as a user of kubectl sees them, for Functions and Deployments. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet();
});
after(() => fnlet[Symbol.asyncDispose]());

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function apply(manifest: object): Promise<void> {
  const input = JSON.stringify(manifest);
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

const resources = { requests: { cpu: '100m' } };

test('kubectl autoscale scales a Function by its use of CPU', async () => {
  const inline = `export default () => {
    const endMs = performance.now() + 30;
    while (performance.now() < endMs);
    return 'done';
  };`;
  await apply({
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'busy' },
    spec: { runtime: 'nodejs24', source: { inline }, resources, scale: { min: 1, max: 4 } },
  });
  await kubectl('wait', '--for=condition=Ready', 'function/busy', '--timeout=20s');
  await kubectl('autoscale', 'function/busy', '--min=1', '--max=3', '--cpu-percent=20');
  const busy = new AbortController();
  const url = `${fnlet.endpoints.gateway}/default/busy`;
  const calling = (async () => {
    while (!busy.signal.aborted) assert.equal(await (await fetch(url)).text(), 'done');
  })();
  try {
    await until(async () => (await describe('busy')).includes('New size:'), {
      what: 'the Function to grow',
      timeoutMs: 60_000,
    });
  } finally {
    busy.abort();
    await calling;
  }
  const text = await describe('busy');
  assert.match(text, /Reference: +Function\/busy\n/);
  assert.match(text, /resource cpu on pods +\(as a percentage of request\): +\d+% \(\d+m\) \/ 20%/);
  assert.match(text, /ScalingActive +True +ValidMetricFound/);
  const min = await kubectl('get', 'function', 'busy', '-o', 'jsonpath={.spec.scale.min}');
  assert.ok(Number(min) > 1);
});

test('bounds bring a Deployment into line, and a target at zero is left alone', async () => {
  const labels = { app: 'web' };
  const args = ['-e', 'setInterval(() => {}, 1000)'];
  await apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'node:24', args, resources }] },
      },
    },
  });
  await kubectl('autoscale', 'deployment/web', '--min=2', '--max=3', '--cpu-percent=80');
  await kubectl('wait', '--for=jsonpath={.status.readyReplicas}=2', 'deployment/web');
  const reason = 'Current number of replicas below Spec.MinReplicas';
  assert.match(await describe('web'), new RegExp(`New size: 2; reason: ${reason}`));
  await kubectl('scale', 'deployment/web', '--replicas=0');
  await until(async () => /ScalingActive +False +ScalingDisabled/.test(await describe('web')), {
    what: 'the autoscaler to be off',
    timeoutMs: 30_000,
  });
});

function describe(name: string): Promise<string> {
  return kubectl('describe', 'hpa', name);
}
