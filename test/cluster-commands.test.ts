/** Commands that look after events and calls, in a cluster: with the rights of who types them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatKubeconfig, loadKubeconfig } from '@fnlet/client';
import type { ResourceType } from '@fnlet/machinery';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import {
  accountType,
  applyObject,
  awaitCondition,
  functionType,
  roleBindingType,
  testNamespace,
  clusterWaitMs as timeoutMs,
  triggerType,
} from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import type { Finished } from './fnlet-process.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'fnlet.js');
const inside = ['--gateway-url', 'http://fnlet-gateway.fnlet-system.svc'];
const refuses = `export default () => new Response('not like this', { status: 422 });`;
const takes = `export default (request) => {
  console.log('took ' + request.headers.get('ce-id'));
  return new Response('taken');
};`;

const apiServiceType: ResourceType = {
  ...{ group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService' },
  ...{ plural: 'apiservices', namespaced: false },
};

async function deploy(cluster: ClusterParts, inline: string): Promise<void> {
  const spec = { runtime: 'nodejs24', source: { inline } };
  await applyObject(cluster, functionType, { name: 'record', spec });
  await awaitCondition(cluster, functionType, { name: 'record' });
}

/** A Trigger whose events the Function refuses, by whom dead letters come to be. */
async function prepare(cluster: ClusterParts): Promise<void> {
  await deploy(cluster, refuses);
  const http = { paths: [{ exact: '/in' }], events: {} };
  const spec = { source: { http }, target: { function: 'record' } };
  await applyObject(cluster, triggerType, { name: 'in', spec });
  await awaitCondition(cluster, triggerType, { name: 'in' });
}

/** Runs the command until the controller answers: it may just have begun to lead. */
async function succeed(cluster: ClusterParts, ...args: string[]): Promise<string> {
  let last: Finished | undefined;
  await until(
    async () => {
      last = await cluster.api.cli(args);
      return last.code === 0;
    },
    { what: `fnlet ${args.join(' ')}`, timeoutMs },
  ).catch((error: unknown) => {
    throw new Error(`${last?.stderr}\n${cluster.output()}`, { cause: error });
  });
  return last?.stdout ?? '';
}

function send(cluster: ClusterParts, id: string): Promise<string> {
  return succeed(cluster, 'events', 'send', 'in', '--type', 'order', '--id', id, '-d', '{"n":1}');
}

async function awaitLetter(cluster: ClusterParts, id: string): Promise<void> {
  const listed = () => succeed(cluster, 'events', 'dead', 'ls', 'in');
  await until(async () => (await listed()).includes(id), { what: `letter ${id}`, timeoutMs });
}

/** A command that goes on, in a process of its own. */
function follow(cluster: ClusterParts, ...words: string[]) {
  const args = [program, ...words];
  const env = { ...process.env, KUBECONFIG: cluster.api.endpoints.kubeconfig };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const printed: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  return { printed: () => printed.join(''), end: () => void child.kill('SIGKILL') };
}

/** A kubeconfig of an account that may view, or edit, the namespace of the tests. */
async function userOf(cluster: ClusterParts, role: 'view' | 'edit' | undefined): Promise<string> {
  const name = role ?? 'nobody';
  await applyObject(cluster, accountType, { name });
  if (role !== undefined) {
    await applyObject(cluster, roleBindingType, {
      ...{ name, subjects: [{ kind: 'ServiceAccount', name, namespace: testNamespace }] },
      roleRef: { apiGroup: roleBindingType.group, kind: 'ClusterRole', name: role },
    });
  }
  const answer = await cluster.client.transport.request({
    method: 'POST',
    path: `/api/v1/namespaces/${testNamespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const { status } = JSON.parse(JSON.stringify(await answer.json()));
  const { server, caData = '' } = await loadKubeconfig({
    ...{ file: cluster.api.endpoints.kubeconfig, env: {} },
  });
  const file = join(cluster.api.dataDirectory, `${name}.kubeconfig`);
  const text = formatKubeconfig({ name, server, caPem: caData, token: String(status.token) });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

test('events are sent, followed, looked at, replayed and dropped by the API of a cluster', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller(undefined, inside);
  await prepare(cluster);
  await using stack = new AsyncDisposableStack();
  assert.equal(await send(cluster, 'first'), 'event/first accepted\n');
  const tail = follow(cluster, 'events', 'tail', '-o', 'json', '--data');
  stack.defer(() => tail.end());
  let sent = 0;
  // Nobody says when the command is connected: an event that is told shows it.
  await until(
    async () => {
      await send(cluster, `more-${sent++}`);
      return tail.printed().includes('"outcome":"');
    },
    { what: 'an event to be told', timeoutMs },
  );
  await awaitLetter(cluster, 'first');

  const shown = await succeed(cluster, 'events', 'dead', 'show', 'in.1');
  assert.match(shown, /reason: Refused\ncode: 422\nanswer: not like this/);
  const before = await succeed(cluster, 'events', 'tail', '--no-follow', '--since', '1h');
  assert.match(before, /order {2}first/);
  await deploy(cluster, takes);
  assert.equal(
    await succeed(cluster, 'events', 'dead', 'replay', 'in', '--id', 'first'),
    '1 dead letter replayed\n',
  );
  assert.match(await succeed(cluster, 'events', 'dead', 'drop', '--all'), /dropped\n$/);
  assert.match(await succeed(cluster, 'logs', 'record'), /took first/);
  const missing = await cluster.api.cli(['events', 'dead', 'show', 'in.999']);
  assert.equal(missing.code, exitCodes.notFound, missing.stderr);
  const none = await cluster.api.cli(['events', 'dead', 'replay', 'none']);
  assert.match(none.stderr, /Cannot find Trigger "default\/none"/);
});

test('people may do in a namespace what their roles say, and nothing elsewhere', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller(undefined, inside);
  await prepare(cluster);
  await send(cluster, 'first');
  await awaitLetter(cluster, 'first');
  const viewer = await userOf(cluster, 'view');
  const editor = await userOf(cluster, 'edit');
  const nobody = await userOf(cluster, undefined);
  const dead = (kubeconfig: string, ...args: string[]): Promise<Finished> =>
    cluster.api.cli(['events', 'dead', ...args, '--kubeconfig', kubeconfig]);
  assert.match((await dead(viewer, 'ls')).stdout, /first/);
  assert.match((await dead(viewer, 'show', 'in.1')).stdout, /not like this/);
  for (const args of [
    ['drop', '--all'],
    ['replay', '--all'],
    ['ls', '-A'],
    ['ls', '-n', 'other'],
  ]) {
    const { code, stderr } = await dead(viewer, ...args);
    assert.equal(code, exitCodes.failed, args.join(' '));
    assert.match(stderr, /403: .*cannot [a-z]+ resource/);
    assert.match(stderr, /Ask for the role/);
  }
  const asked = await dead(nobody, 'ls');
  assert.match(asked.stderr, /403: /);
  const calls = await cluster.api.cli(['calls', 'ls', '--kubeconfig', nobody]);
  assert.match(calls.stderr, /403: /);
  assert.match((await dead(editor, 'drop', '--all')).stdout, /1 dead letter dropped/);
});

test('without a controller that leads a command says so, and the next one goes on', async () => {
  await using cluster = await ClusterParts.start();
  const first = await cluster.controller('kept', inside);
  const { url } = await cluster.gateway();
  await prepare(cluster);
  await send(cluster, 'first');
  await awaitLetter(cluster, 'first');
  const accepted = await fetch(`${url}/async/default/record`, { method: 'POST', body: 'one' });
  assert.equal(accepted.status, 202, await accepted.text());
  const second = await cluster.controller('kept', inside);
  await until(() => second.output().includes('Ready to lead'), { what: 'a standby', timeoutMs });
  const tail = follow(cluster, 'events', 'tail', '-o', 'json', '--data');
  await using stack = new AsyncDisposableStack();
  stack.defer(() => tail.end());
  let sent = 0;
  const hears = async (id: string): Promise<void> => {
    await until(
      async () => {
        await send(cluster, `${id}-${sent++}`);
        return tail.printed().includes(`"id":"${id}-`);
      },
      { what: `${id} to be told`, timeoutMs },
    );
  };
  await hears('before');
  await first.stop('SIGKILL');
  const refused = await cluster.api.cli(['events', 'dead', 'ls']);
  if (refused.code !== 0) {
    assert.equal(refused.code, exitCodes.unreachable, refused.stderr);
    assert.match(refused.stderr, /503: .*\n.*fnlet status/);
  }
  await awaitLetter(cluster, 'first');
  const calls = await succeed(cluster, 'calls', 'ls', 'record');
  const [, id = ''] = /\n(\S+) +record/.exec(calls) ?? [];
  assert.match(await succeed(cluster, 'calls', 'get', id), /function: record/);
  await hears('after');
  await second.stop('SIGKILL');
  const nobody = await cluster.api.cli(['events', 'dead', 'ls']);
  assert.equal(nobody.code, exitCodes.unreachable);
  assert.match(nobody.stderr, /503: .*\n.*fnlet status/);
});

test('logs and use of all Pods of a function are told, by its own executor as well', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const { url } = await cluster.gateway();
  const inline = `export default async () => {
    console.log('a call of ' + process.pid);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return 'done';
  };`;
  for (const executor of ['pool', 'deployment']) {
    const spec = { runtime: 'nodejs24', source: { inline }, executor, scale: { min: 2 } };
    await applyObject(cluster, functionType, { name: executor, spec });
  }
  for (const executor of ['pool', 'deployment']) {
    await awaitCondition(cluster, functionType, { name: executor });
    const lines = async (): Promise<readonly string[]> => {
      const calls = [1, 2, 3, 4].map(() => fetch(`${url}/default/${executor}`));
      await Promise.all(calls.map(async (answer) => (await answer).text()));
      const told = await succeed(cluster, 'logs', executor);
      return told.split('\n').filter((line) => line.includes('a call of'));
    };
    const origins = async (): Promise<number> =>
      new Set((await lines()).map((line) => line.split(' ')[0])).size;
    await until(async () => (await origins()) === 2, { what: `logs of ${executor}`, timeoutMs });
    const pods = await succeed(cluster, 'top', 'pods', executor);
    const row = new RegExp(`^\\S+ +${executor} +\\S+ +\\S+m +\\d+Mi +0$`, 'gm');
    assert.equal(pods.match(row)?.length, 2, pods);
    const previous = await cluster.api.cli(['logs', executor, '--previous']);
    assert.equal(previous.code, exitCodes.failed);
    assert.match(previous.stderr, /No log of \S+: it was not restarted/);
  }
  const functions = await succeed(cluster, 'top', '-A', '--sort-by', 'memory');
  assert.match(functions, /NAMESPACE +NAME +INSTANCES .*\ndefault +\w+ +2 +\d+m +\d+Mi/);
});

test('what a kubelet starts anew is followed anew, and its run before is kept', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const { url } = await cluster.gateway();
  const inline = `let calls = 0;
export default (request) => {
  console.log('call ' + ++calls + ' of a run');
  if (request.method === 'POST') setTimeout(() => process.exit(1), 50);
  return 'done';
};`;
  const spec = {
    ...{ runtime: 'nodejs24', source: { inline }, executor: 'deployment', scale: { min: 1 } },
  };
  await applyObject(cluster, functionType, { name: 'frail', spec });
  await awaitCondition(cluster, functionType, { name: 'frail' });
  const tail = follow(cluster, 'logs', 'frail', '-f');
  await using stack = new AsyncDisposableStack();
  stack.defer(() => tail.end());
  const told = (text: string, count: number): Promise<unknown> =>
    until(
      async () => {
        await (await fetch(`${url}/default/frail`)).text();
        return tail.printed().split(text).length > count;
      },
      { what: `${text}, ${count} times`, timeoutMs },
    ).catch((error: unknown) => {
      throw new Error(`${tail.printed()}\n${cluster.output()}`, { cause: error });
    });
  await told('call 1 of a run', 1);
  await fetch(`${url}/default/frail`, { method: 'POST' });
  await told('call 1 of a run', 2);
  assert.match(await succeed(cluster, 'logs', 'frail', '--previous'), /call 2 of a run/);
});

test('fnlet dev brings each edit to a cluster, and follows what its Pods write', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const { url } = await cluster.gateway();
  const file = join(cluster.api.dataDirectory, 'edited.js');
  const write = async (word: string): Promise<void> => {
    const body = `console.log('said ${word}'); return '${word}';`;
    await writeFile(file, `export default () => { ${body} };\n`);
  };
  await write('first');
  const dev = follow(cluster, 'dev', file);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => dev.end());
  const awaited = (what: string, look: () => Promise<boolean>): Promise<boolean> =>
    until(look, { what, timeoutMs }).catch((error: unknown) => {
      throw new Error(`${dev.printed()}\n${cluster.output()}`, { cause: error });
    });
  const said = async (word: string): Promise<boolean> =>
    (await (await fetch(`${url}/${testNamespace}/edited`)).text()) === word;
  await awaited('the first answer', () => said('first'));
  for (const word of ['second', 'third']) {
    await write(word);
    await awaited(`the answer "${word}"`, () => said(word));
    await awaited('its log', async () =>
      new RegExp(`^\\S+ .*said ${word}`, 'm').test(dev.printed()),
    );
  }
});

test('a source that does not fit into an object is uploaded to the controller', async () => {
  await using cluster = await ClusterParts.start();
  await cluster.controller();
  const { url } = await cluster.gateway();
  const source = join(cluster.api.dataDirectory, 'large');
  await mkdir(source);
  const inline = `import { statSync } from 'node:fs';
export default () => String(statSync(new URL('data.bin', import.meta.url)).size);`;
  await writeFile(join(source, 'handler.js'), inline);
  await writeFile(join(source, 'data.bin'), randomBytes(3_000_000));
  await succeed(cluster, 'deploy', 'large', source);
  assert.equal(await (await fetch(`${url}/default/large`)).text(), '3000000');
});

test('a cluster where Fnlet does not answer is told from one that has no such record', async () => {
  await using cluster = await ClusterParts.start();
  for (const name of ['artifacts', 'calls', 'events', 'operators']) {
    const key = { namespace: '', name: `v1alpha1.${name}.fnlet.dev` };
    await cluster.client.of(apiServiceType).delete(key);
  }
  for (const args of [
    ['events', 'dead', 'ls'],
    ['events', 'tail'],
    ['calls', 'ls'],
    ['operator', 'explain', 'a', 'b'],
  ]) {
    const { code, stderr } = await cluster.api.cli(args);
    assert.equal(code, exitCodes.unreachable, stderr);
    assert.match(stderr, /found nobody in this API who answers for it\n.*right context/);
  }
  const wrong = await cluster.api.cli(['events', 'dead', 'ls', '--context', 'none']);
  assert.equal(wrong.code, exitCodes.unreachable);
  assert.match(wrong.stderr, /none/);
});
