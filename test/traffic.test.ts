/** Several Revisions of a Function share its calls, and new ones take over under load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

interface House extends AsyncDisposable {
  readonly fnlet: FnletProcess;
  readonly api: TestApi;
  readonly url: (name: string) => string;
}

async function openHouse(dataDirectory?: string): Promise<House> {
  const fnlet = await startFnlet(dataDirectory === undefined ? {} : { dataDirectory });
  const api = await createApi(fnlet.endpoints.kubeconfig);
  return {
    fnlet,
    api,
    url: (name) => `${fnlet.endpoints.gateway}/default/${name}`,
    async [Symbol.asyncDispose]() {
      await api.close();
      await fnlet[Symbol.asyncDispose]();
    },
  };
}

interface FunctionStatus {
  readonly traffic?: readonly { readonly revision: string; readonly percent: number }[];
  readonly canary?: { readonly phase: string; readonly revision: string; readonly step: number };
}

async function statusOf({ api }: House, name: string): Promise<FunctionStatus> {
  const path = `/apis/fnlet.dev/v1alpha1/namespaces/default/functions/${name}`;
  return Object(await api.getJson(path)).status ?? {};
}

const says = (text: string): object => ({ source: { inline: `export default () => '${text}';` } });

/** Applies a spec and waits for it; returns the name of the Revision that serves. */
async function serve({ api }: House, name: string, spec: object): Promise<string> {
  await api.applyFunction(name, { ...spec });
  await api.waitReady(name);
  return (await api.getFunction(name)).revision;
}

async function answers(url: string, init?: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}

/** Calls without a pause until it is disposed of; what fails is collected. */
function startLoad(url: string, callers: number) {
  const counts = new Map<string, number>();
  const failures: string[] = [];
  let isOver = false;
  const call = async (): Promise<void> => {
    while (!isOver) {
      const answer = await fetch(url).catch((error: unknown) => String(error));
      const text = typeof answer === 'string' ? answer : `${answer.status} ${await answer.text()}`;
      counts.set(text, (counts.get(text) ?? 0) + 1);
      if (!text.startsWith('200')) failures.push(text);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, call));
  return {
    counts,
    failures,
    async [Symbol.asyncDispose]() {
      isOver = true;
      await running;
    },
  };
}

test('calls go where traffic, tags and callers want them', async () => {
  await using house = await openHouse();
  const older = await serve(house, 'split', says('old'));
  const traffic = [
    { revision: older, percent: 70 },
    { latest: true, percent: 30, tag: 'next' },
  ];
  await serve(house, 'split', { ...says('new'), traffic, session: {} });
  const url = house.url('split');
  let newer = 0;
  for (let call = 0; call < 400; call++) if ((await answers(url)) === 'new') newer++;
  // Six standard deviations.
  assert.ok(newer > 65 && newer < 175, `${newer} of 400`);

  assert.equal(await answers(house.url('next-split')), 'new');
  assert.equal(await answers(url, { headers: { 'X-Fnlet-Tag': 'next' } }), 'new');
  assert.equal(await answers(url, { headers: { 'X-Fnlet-Revision': older } }), 'old');
  const first = await fetch(url);
  const text = await first.text();
  const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
  for (let call = 0; call < 20; call++) {
    assert.equal(await answers(url, { headers: { cookie } }), text);
  }
});

const counting = `let count = 0;
export default (request: Request) => {
  if (new URL(request.url).pathname !== '/count') count++;
  return new Response(String(count));
};`;

test('copies of calls reach a Revision that answers nobody', async () => {
  await using house = await openHouse();
  const quiet = await serve(house, 'mirrored', { source: { inline: counting } });
  const traffic = [
    { latest: true, percent: 100 },
    { revision: quiet, percent: 0, tag: 'quiet' },
  ];
  await serve(house, 'mirrored', { ...says('loud'), traffic, mirror: { tag: 'quiet' } });
  for (let call = 0; call < 10; call++) {
    assert.equal(await answers(house.url('mirrored')), 'loud');
  }
  assert.equal(await answers(house.url('mirrored'), { method: 'POST', body: 'x' }), 'loud');
  const count = (): Promise<string> => answers(`${house.url('quiet-mirrored')}/count`);
  await until(async () => (await count()) === '10', { what: '10 copies' });
});

test('an edit under load takes over with the Instances for it, and no call fails', async () => {
  await using house = await openHouse();
  const { api } = house;
  const slow = (text: string): object => ({
    source: {
      inline: `export default async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return '${text}';
      };`,
    },
    scale: { target: 2, max: 4 },
  });
  await serve(house, 'busy', slow('v0'));
  await using load = startLoad(house.url('busy'), 6);
  const instances = async (): Promise<number> => (await api.podsOf('busy')).length;
  await until(async () => (await instances()) >= 3, { what: 'three Instances', timeoutMs: 40_000 });
  for (let version = 1; version <= 5; version++) {
    const revision = await serve(house, 'busy', slow(`v${version}`));
    // Pods are written a moment after the Instances that they show.
    const own = async (): Promise<number> =>
      (await api.podsOf('busy')).filter(({ name }) => name.startsWith(revision)).length;
    await until(async () => (await own()) >= 2, {
      what: `two Instances of v${version} at its takeover`,
      timeoutMs: 2_000,
    });
    assert.equal(await answers(house.url('busy')), `v${version}`);
  }
  assert.deepEqual(load.failures, []);
});

const rollout = {
  canary: { steps: [20, 50], interval: '1s', successRate: 99, minimumCalls: 20 },
};

test('a canary takes over step by step, and a bad one is rolled back by itself', async () => {
  await using house = await openHouse();
  await serve(house, 'careful', { ...says('v1'), rollout });
  await using load = startLoad(house.url('careful'), 3);
  const good = await serve(house, 'careful', { ...says('v2'), rollout });
  assert.deepEqual(await statusOf(house, 'careful').then(({ traffic }) => traffic), [
    { revision: good, latest: true, percent: 100 },
  ]);
  assert.ok(load.counts.has('200 v1') && load.counts.has('200 v2'));
  assert.deepEqual(load.failures, []);

  const bad = { inline: "export default () => { throw new Error('bad'); };" };
  await house.api.applyFunction('careful', { source: bad, rollout });
  const { reason, message } = await house.api.waitNotReady('careful');
  assert.equal(reason, 'CanaryFailed');
  assert.match(message, new RegExp(`rolled back to ${good}: .* calls succeeded, expected 99 %`));
  const failed = load.failures.length;
  for (let call = 0; call < 50; call++) assert.equal(await answers(house.url('careful')), 'v2');
  assert.ok(failed > 0 && failed < (load.counts.get('200 v2') ?? 0), `${failed} failed`);
});

test('a restart in the middle of a canary goes on with its step', async () => {
  const dataDirectory = await makeDataDirectory();
  const slowly = { canary: { ...rollout.canary, interval: '1h' } };
  let canary = '';
  {
    const house = await openHouse(dataDirectory);
    await serve(house, 'restarted', { ...says('v1'), rollout: slowly });
    await house.api.applyFunction('restarted', { ...says('v2'), rollout: slowly });
    const found = await until(async () => (await statusOf(house, 'restarted')).canary, {
      what: 'the canary',
    });
    canary = found.revision;
    await house.api.close();
    await house.fnlet.stop('SIGKILL');
  }
  await using house = await openHouse(dataDirectory);
  const { traffic } = await statusOf(house, 'restarted');
  assert.equal(traffic?.find(({ revision }) => revision === canary)?.percent, 20);
  const pin = { headers: { 'X-Fnlet-Revision': canary } };
  assert.equal(await answers(house.url('restarted'), pin), 'v2');
  await using load = startLoad(house.url('restarted'), 2);
  await until(() => load.counts.has('200 v1') && load.counts.has('200 v2'), { what: 'both' });
  const now = { ...says('v2'), rollout };
  await serve(house, 'restarted', now);
  assert.deepEqual(load.failures, []);
});

test('fnlet rollback goes back from code that does not load, and that is a success', async () => {
  await using house = await openHouse();
  const { fnlet } = house;
  const first = await serve(house, 'broken', says('v1'));
  await serve(house, 'broken', says('v2'));
  const source = { inline: 'export default (' };
  const patch = JSON.stringify({ spec: { source } });
  await fnlet.kubectl(['patch', 'function', 'broken', '--type=merge', '-p', patch]);
  await fnlet.kubectl(['wait', 'function/broken', '--for=condition=Ready=False', '--timeout=60s']);
  const back = await fnlet.cli(['rollback', 'broken', '--to', first]);
  assert.deepEqual([back.code, back.stdout], [0, `${house.url('broken')}\n`], back.stderr);
  assert.match(back.stderr, /fnlet rollback broken --latest .*The newest code is not ready: /);
  assert.equal(await answers(house.url('broken')), 'v1');
});

test('fnlet rollback pins calls to older code, says so, and takes it back', async () => {
  await using house = await openHouse();
  const { fnlet } = house;
  const first = await serve(house, 'pinned', says('v1'));
  const second = await serve(house, 'pinned', says('v2'));
  const url = house.url('pinned');
  const back = await fnlet.cli(['rollback', 'pinned']);
  assert.deepEqual([back.code, back.stdout], [0, `${url}\n`], back.stderr);
  assert.match(back.stderr, new RegExp(`sends its calls to Revision ${first}\n`));
  assert.match(back.stderr, /fnlet rollback pinned --latest sends them to the newest/);
  assert.equal(await answers(url), 'v1');
  const listed = await fnlet.cli(['revisions', 'pinned']);
  assert.match(listed.stdout, new RegExp(`${first} +True +100% `));
  assert.match(listed.stdout, new RegExp(`${second} +True +latest `));

  // Newer code is proven, and gets no calls yet.
  await serve(house, 'pinned', { ...says('v3') });
  assert.equal(await answers(url), 'v1');
  const described = await fnlet.cli(['describe', 'pinned']);
  assert.match(described.stdout, /Newest: +pinned-/);
  const json = await fnlet.cli(['rollback', 'pinned', '--latest', '-o', 'json']);
  assert.equal(JSON.parse(json.stdout).spec.traffic, undefined);
  assert.equal(await answers(url), 'v3');

  const to = await fnlet.cli(['rollback', 'pinned', '--to', second, '-o', 'name']);
  assert.equal(to.stdout, 'function.fnlet.dev/pinned\n');
  assert.equal(await answers(url), 'v2');
  const names = await fnlet.cli(['revisions', 'pinned', '-o', 'name']);
  assert.equal(names.stdout.split('\n').length, 4);
  const gone = await fnlet.cli(['rollback', 'pinned', '--to', 'pinned-gone']);
  assert.equal(gone.code, 3);
  assert.match(gone.stderr, /expected one of: pinned-/);
  assert.equal((await fnlet.cli(['rollback', 'pinned', '--to', 'x', '--latest'])).code, 2);
  assert.equal((await fnlet.cli(['rollback', 'nobody'])).code, 3);
});
