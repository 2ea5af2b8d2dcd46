/** Deployments, Jobs and Pods as a user of kubectl sees them, on real processes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet({ args: ['--allow-host-commands'] });
});
after(() => fnlet[Symbol.asyncDispose]());

async function kubectl(...args: string[]): Promise<string> {
  return kubectlOf(fnlet, ...args);
}

async function kubectlOf(server: FnletProcess, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await server.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function apply(server: FnletProcess, ...manifests: object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: manifests };
  const input = JSON.stringify(list);
  const { code, stderr } = await server.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

function deployment(name: string, spec: object, replicas = 2): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  };
}

const server = `
  const http = require('node:http');
  const listening = () => console.log('listening as ' + process.env.HOSTNAME);
  http.createServer((_, response) => response.end(process.env.TEXT))
    .listen(3000, process.env.POD_IP, listening);
  process.on('SIGTERM', () => process.exit(0));
`;

const web = {
  containers: [
    {
      name: 'web',
      image: 'node:24',
      args: ['-e', server],
      env: [
        { name: 'TEXT', value: 'one' },
        { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ],
      ports: [{ name: 'http', containerPort: 3000 }],
      readinessProbe: { httpGet: { path: '/', port: 'http' } },
    },
  ],
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a Deployment is rolled out, scaled, changed, undone and deleted', async () => {
  await apply(fnlet, deployment('web', web));
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
  assert.match(await kubectl('get', 'deployment', 'web'), /web\s+2\/2\s+2\s+2/);
  assert.match(await kubectl('get', 'pods', '-l', 'app=web'), /web-\S+\s+1\/1\s+Running\s+0/);
  assert.match(await kubectl('logs', 'deployment/web'), /listening as web-/);
  const ip = await kubectl(
    'get',
    'pods',
    '-l',
    'app=web',
    '-o',
    'jsonpath={.items[0].status.podIP}',
  );
  const ask = async (): Promise<string> => (await fetch(`http://${ip}:3000/`)).text();
  assert.equal(await ask(), 'one');

  await kubectl('scale', 'deployment/web', '--replicas=3');
  await kubectl(
    'wait',
    '--for=jsonpath={.status.readyReplicas}=3',
    'deployment/web',
    '--timeout=30s',
  );
  await kubectl('set', 'env', 'deployment/web', 'TEXT=two');
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
  assert.match(await kubectl('rollout', 'history', 'deployment/web'), /1\s+<none>\n2\s+<none>/);
  await kubectl('rollout', 'undo', 'deployment/web');
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
  const template = ['-o', 'jsonpath={.spec.template.spec.containers[0].env[0].value}'];
  assert.equal(await kubectl('get', 'deployment', 'web', ...template), 'one');
  await kubectl('rollout', 'restart', 'deployment/web');
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');

  await kubectl('delete', 'pod', '-l', 'app=web', '--timeout=30s');
  await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=30s');
  const described = await kubectl('describe', 'deployment', 'web');
  assert.match(described, /NewReplicaSetAvailable/);
  assert.match(described, /ScalingReplicaSet/);
  await kubectl('delete', 'deployment', 'web', '--timeout=30s');
  await until(async () => (await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')) === '', {
    what: 'its Pods to be gone',
  });
});

test('a paused Deployment waits', async () => {
  await apply(fnlet, deployment('held', web, 1));
  await kubectl('rollout', 'status', 'deployment/held', '--timeout=30s');
  await kubectl('rollout', 'pause', 'deployment/held');
  await kubectl('set', 'env', 'deployment/held', 'TEXT=two');
  await kubectl('rollout', 'resume', 'deployment/held');
  await kubectl('rollout', 'status', 'deployment/held', '--timeout=30s');
  await kubectl('delete', 'deployment', 'held');
});

test('a Job completes, and its logs can be read', async () => {
  const containers = [{ name: 'pi', image: 'node', args: ['-e', 'console.log(Math.PI)'] }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  const spec = { completions: 3, parallelism: 2, template };
  await apply(fnlet, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pi' }, spec });
  await kubectl('wait', '--for=condition=Complete', 'job/pi', '--timeout=30s');
  assert.match(await kubectl('get', 'job', 'pi'), /pi\s+Complete\s+3\/3/);
  assert.match(await kubectl('logs', 'job/pi'), /3\.14159/);
  await kubectl('delete', 'job', 'pi');
});

test('a CronJob fires', async () => {
  const containers = [{ name: 'tick', image: 'node', args: ['-e', ''] }];
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
  const spec = { schedule: '@every 1s', jobTemplate };
  const metadata = { name: 'tick' };
  await apply(fnlet, { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec });
  await until(async () => /Complete/.test(await kubectl('get', 'jobs')), { what: 'a Job of it' });
  await kubectl('delete', 'cronjob', 'tick');
});

test('a program of the machine runs with its ConfigMap and its environment', async () => {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings' },
    data: { colour: 'red' },
  };
  const script =
    'echo "$COLOUR $(cat /etc/fnlet-e2e/colour)"; env | cut -d= -f1 | sort; exec sleep 60';
  const configMapKeyRef = { name: 'settings', key: 'colour' };
  const shell = {
    name: 'shell',
    image: 'busybox',
    command: ['sh', '-c', script],
    env: [{ name: 'COLOUR', valueFrom: { configMapKeyRef } }],
    volumeMounts: [{ name: 'settings', mountPath: '/etc/fnlet-e2e' }],
  };
  const volumes = [{ name: 'settings', configMap: { name: 'settings' } }];
  const spec = { containers: [shell], volumes, terminationGracePeriodSeconds: 1 };
  await apply(fnlet, configMap, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shell' },
    spec,
  });
  const state = async (): Promise<string> =>
    kubectl('get', 'pod', 'shell', '-o', 'jsonpath={.status.containerStatuses[0].state}');
  await until(async () => /running|CreateContainerConfigError/.test(await state()), {
    what: 'the Pod to run, or to say that nothing can be mounted here',
  });
  if ((await state()).includes('CreateContainerConfigError')) return;
  await until(async () => (await kubectl('logs', 'shell')).includes('PATH'), { what: 'its log' });
  const [first, ...names] = (await kubectl('logs', 'shell')).trim().split('\n');
  assert.equal(first, 'red red');
  const declared = names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
  assert.deepEqual(declared, [
    'COLOUR',
    'HOSTNAME',
    'KUBERNETES_SERVICE_HOST',
    'KUBERNETES_SERVICE_PORT',
    'PATH',
  ]);
  assert.equal(
    (await kubectl('exec', 'shell', '--', 'cat', '/etc/fnlet-e2e/colour')).trim(),
    'red',
  );
  await kubectl('delete', 'pod', 'shell', '--timeout=30s');
});

test('an operator in a Pod acts as its ServiceAccount', async () => {
  const script = `
    const { readFileSync } = require('node:fs');
    const at = '/var/run/secrets/kubernetes.io/serviceaccount/';
    const read = (name) => readFileSync(at + name, 'utf8');
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
    const headers = { authorization: 'Bearer ' + read('token') };
    const path = '/api/v1/namespaces/' + read('namespace') + '/pods';
    require('node:https').get({ host, port, path, headers, ca: read('ca.crt') }, (response) => {
      console.log('answered ' + response.statusCode);
      response.resume();
    });
  `;
  const containers = [{ name: 'main', image: 'node', args: ['-e', script] }];
  const subject = { kind: 'ServiceAccount', name: 'robot', namespace: 'default' };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  await apply(
    fnlet,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'robot' },
      ...{ subjects: [subject], roleRef },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'robot' },
      spec: { serviceAccountName: 'robot', restartPolicy: 'Never', containers },
    },
  );
  const phase = (): Promise<string> =>
    kubectl('get', 'pod', 'robot', '-o', 'jsonpath={.status.phase}');
  await until(async () => /Succeeded|Failed/.test(await phase()), { what: 'its end' });
  const said = await kubectl('logs', 'robot');
  // Where nothing can be mounted there is no token to read.
  if ((await phase()) === 'Succeeded') assert.equal(said, 'answered 200\n');
  else assert.match(said, /ENOENT.*serviceaccount/);
});

test('a crash loop is told, with the log of the run before', async () => {
  const containers = [
    { name: 'main', image: 'node', args: ['-e', 'console.log("last words"); x'] },
  ];
  await apply(fnlet, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'loop' },
    spec: { containers },
  });
  await until(async () => /CrashLoopBackOff/.test(await kubectl('get', 'pod', 'loop')), {
    what: 'CrashLoopBackOff',
  });
  assert.match(await kubectl('logs', '--previous', 'loop'), /last words/);
  assert.match(await kubectl('describe', 'pod', 'loop'), /Exit Code:\s+1[\s\S]*BackOff/);
  await kubectl('delete', 'pod', 'loop');
});

test('without --allow-host-commands a program of the machine is refused, with a remedy', async () => {
  await using strict = await startFnlet();
  const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '60'] }];
  await apply(strict, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'no' },
    spec: { containers },
  });
  await until(async () => /ImagePullBackOff/.test(await kubectlOf(strict, 'get', 'pod', 'no')), {
    what: 'ImagePullBackOff',
  });
  const described = await kubectlOf(strict, 'describe', 'pod', 'no');
  assert.match(described, /Start Fnlet with --allow-host-commands/);
});

test('nothing outlives a kill -9, and a new Fnlet starts the same Pods again', async () => {
  const dataDirectory = await makeDataDirectory();
  const args = ['--allow-host-commands'];
  const first = await startFnlet({ dataDirectory, args });
  await using _ended = { [Symbol.asyncDispose]: async () => void (await first.stop('SIGKILL')) };
  const containers = [
    { name: 'main', image: 'x', command: ['sh', '-c', 'echo $$$$; exec sleep 600'] },
  ];
  await apply(first, deployment('stay', { containers }, 1));
  await kubectlOf(first, 'rollout', 'status', 'deployment/stay', '--timeout=30s');
  const name = await kubectlOf(first, 'get', 'pods', '-o', 'name');
  const pid = Number(
    await until(async () => (await kubectlOf(first, 'logs', name.trim())).trim(), {
      what: 'a pid',
    }),
  );
  assert.ok(isAlive(pid));
  await first.stop('SIGKILL');
  await until(() => !isAlive(pid), { what: 'the process to be gone' });
  await using second = await startFnlet({ dataDirectory, args });
  const restarts = ['-o', 'jsonpath={.status.containerStatuses[0].restartCount}'];
  await until(async () => (await kubectlOf(second, 'get', name.trim(), ...restarts)) === '1', {
    what: 'the restart to be counted',
  });
  await kubectlOf(second, 'wait', '--for=condition=Ready', name.trim(), '--timeout=30s');
});

test('kubectl run -i gives a container its input, shows its output and ends as it does', async () => {
  const program = "process.stdin.on('end', () => process.exit(3)).pipe(process.stdout);";
  const flags = ['--rm', '-i', '--quiet', '--restart=Never', '--image=node:24'];
  const input = 'one\ntwo without an end of line';
  const piped = await fnlet.kubectl(['run', 'piped', ...flags, '--command', '--', 'cat'], {
    input,
  });
  // Old ones say that they have deleted the Pod, however quiet they should be.
  const shown = ({ stdout }: { stdout: string }): string =>
    stdout.replace(/pod ".*\n$/, '').trimEnd();
  assert.deepEqual([shown(piped), piped.code], [input, 0]);
  const failed = await fnlet.kubectl(['run', 'failed', ...flags, '--', '-e', program], { input });
  assert.deepEqual([shown(failed), failed.code], [input, 3]);
  // One that has ended before anybody was attached has a log.
  const quick = await fnlet.kubectl(['run', 'quick', ...flags, '--', '-p', '6*7']);
  assert.deepEqual([shown(quick), quick.code], ['42', 0]);
});
