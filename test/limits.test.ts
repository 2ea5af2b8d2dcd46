/** Limits: an Instance that takes too much memory ends, it alone, and everybody can see why. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const skip = process.platform === 'linux' ? false : 'memory is only bounded on Linux';

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

const hoarder = {
  inline: `const held = [];
export default async (request) => {
  const { searchParams } = new URL(request.url);
  for (let left = Number(searchParams.get('take') ?? 0); left > 0; left--) {
    held.push(Buffer.alloc(1 << 20, 1));
    await new Promise(setImmediate);
  }
  return String(process.pid);
};`,
};

const call = (path: string): Promise<Response> =>
  fetch(`${fnlet.endpoints.gateway}/default/${path}`, { method: 'POST' });

test('an Instance over its memory is replaced, and says why', { skip }, async () => {
  const spec = { source: hoarder, resources: { limits: { memory: '128Mi' } } };
  await Promise.all([api.applyFunction('hoards', spec), api.applyFunction('frugal', spec)]);
  await Promise.all([api.waitReady('hoards'), api.waitReady('frugal')]);
  const [hoards, frugal] = await Promise.all(
    ['hoards', 'frugal'].map(async (name) => (await call(`${name}?take=1`)).text()),
  );
  assert.ok((await call('hoards?take=400')).status >= 500);
  await until(
    async () =>
      (await api.podsOf('hoards')).some(({ lastExitReason }) => lastExitReason !== undefined),
    { what: 'the Pod to tell' },
  );
  const [pod] = await api.podsOf('hoards');
  assert.deepEqual([pod?.lastExitReason, pod?.lastExitCode], ['OOMKilled', 137]);
  assert.equal(await (await call('frugal?take=1')).text(), frugal, 'nobody else has ended');
  assert.notEqual(await (await call('hoards?take=1')).text(), hoards);
  const { stdout } = await fnlet.cli(['describe', 'hoards']);
  assert.match(stdout, /limits memory 128Mi/);
  assert.match(stdout, /OOMKilled .*more memory than its limit of 128Mi/);
});

test('code that cannot be loaded within its memory is told in a condition', { skip }, async () => {
  await api.applyFunction('large', {
    source: {
      inline:
        'globalThis.held = Array.from({ length: 400 }, () => Buffer.alloc(1 << 20, 1));\n' +
        'export default () => "never";',
    },
    resources: { limits: { memory: '64Mi' } },
  });
  const { reason, message } = await api.waitNotReady('large');
  assert.equal(reason, 'OOMKilled');
  assert.match(message, /limit of 64Mi. Raise spec\.resources\.limits\.memory/);
});
