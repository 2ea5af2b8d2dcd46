/** What is known of code that never got as far as answering: its log, its Pod, its condition. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

interface BadStart {
  readonly name: string;
  readonly node: string;
  readonly python: string;
  readonly reason: string;
  /** What the condition says, beside the reason. */
  readonly told: RegExp;
  readonly limits?: Readonly<Record<string, string>>;
}

const starts: readonly BadStart[] = [
  {
    name: 'throws',
    node: "console.log('reading the menu');\nthrow new Error('no menu');",
    python: "print('reading the menu')\nraise ValueError('no menu')\n",
    reason: 'LoadFailed',
    told: /^handler[.](ts|py):2: .*no menu/,
  },
  {
    name: 'ends',
    node: "console.error('reading the menu'); process.exit(3);",
    python: "import os, sys\nprint('reading the menu', file=sys.stderr, flush=True)\nos._exit(3)\n",
    reason: 'InstanceCrashed',
    told: /ended with code 3[.] It said last:\nreading the menu$/,
  },
  {
    name: 'eats',
    node: "console.log('reading the menu'); const a = []; for (;;) a.push(Buffer.alloc(1e6, 1));",
    python: "print('reading the menu', flush=True)\na = []\nwhile True: a.append(b'x' * 10**6)\n",
    reason: 'OOMKilled',
    told: /limit of 128Mi[\s\S]*It said last:\nreading the menu$/,
    limits: { memory: '128Mi' },
  },
];

async function checkLog(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const start = starts.find((one) => name.endsWith(one.name));
  assert.ok(start !== undefined);
  const { reason, told, limits } = start;
  await api.applyFunction(name, { ...spec, ...(limits && { resources: { limits } }) });
  const failed = await api.waitNotReady(name);
  assert.equal(failed.reason, reason);
  assert.match(failed.message, told);
  const logs = async (): Promise<boolean> =>
    (await fnlet.cli(['logs', name])).stdout.includes('reading the menu');
  await until(logs, { what: `the log of ${name}` });
}

for (const { name, node, python, limits } of starts) {
  const options = { skip: limits !== undefined && process.platform !== 'linux' };
  test(`a function in Node that ${name} as it loads has a log`, options, async () => {
    await checkLog(`node-${name}`, { source: { inline: node } });
  });
  const pythonOptions = options.skip ? options : needsPython;
  test(`a function in Python that ${name} as it loads has a log`, pythonOptions, async () => {
    await checkLog(`python-${name}`, { runtime: pythonName, source: { inline: python } });
  });
}

test('the Pod that is left goes with the code that is mended, and so does one of a Function', async () => {
  const [broken] = starts;
  await api.applyFunction('mended', { source: { inline: broken?.node } });
  await api.waitNotReady('mended');
  await api.applyFunction('mended', { source: { inline: "export default () => 'soup';" } });
  await api.waitReady('mended');
  await fnlet.kubectl(['wait', 'pod', '-l', 'fnlet.dev/function=mended', '--for=condition=Ready']);
  const pods = await api.podsOf('mended');
  assert.deepEqual(
    pods.filter(({ lastExitReason }) => lastExitReason !== undefined),
    [],
  );
  await api.applyFunction('removed', { source: { inline: broken?.node } });
  await api.waitNotReady('removed');
  await api.deleteFunction('removed');
  const args = ['wait', 'pod', '-l', 'fnlet.dev/function=removed', '--for=delete'];
  const gone = await fnlet.kubectl([...args, '--timeout=20s']);
  assert.equal(gone.code, 0, gone.stderr);
});
