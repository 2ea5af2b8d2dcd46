/** Every example does what it says, applied and called as its comment tells. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const examples = join(import.meta.dirname, '..', 'examples');

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet();
});
after(() => fnlet[Symbol.asyncDispose]());

async function apply(example: string): Promise<void> {
  const file = join(examples, example, 'function.yaml');
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', file]);
  assert.equal(code, 0, stderr);
}

async function waitReady(name: string): Promise<void> {
  const wait = ['wait', '--for=condition=Ready', `fn/${name}`, '--timeout=120s'];
  const { code, stderr } = await fnlet.kubectl(wait);
  assert.equal(code, 0, stderr);
}

async function deploy(example: string): Promise<void> {
  const { code, stderr } = await fnlet.cli(['deploy', example, join(examples, example)]);
  assert.equal(code, 0, stderr);
}

async function runKyma(example: string): Promise<void> {
  await apply(example);
  const wait = ['wait', '--for=condition=Running', `fns/${example}`, '--timeout=120s'];
  const { code, stderr } = await fnlet.kubectl(wait);
  assert.equal(code, 0, stderr);
}

const urlOf = (name: string): string => `${fnlet.endpoints.gateway}/default/${name}`;

/** One test an example; a new example without one fails the last test. */
const stories: Readonly<Record<string, () => Promise<void>>> = {
  async hello() {
    await apply('hello');
    await waitReady('hello');
    assert.equal(await (await fetch(urlOf('hello'))).text(), 'Hello World!');
  },
  async typescript() {
    await deploy('typescript');
    const answer = await fetch(`${urlOf('typescript')}?name=Ada`);
    assert.match(await answer.text(), /"message":"Hello Ada!"/);
  },
  async python() {
    await deploy('python');
    const answer = await fetch(`${urlOf('python')}?zone=Asia/Tokyo`);
    assert.deepEqual(await answer.json(), { zone: 'Asia/Tokyo', offset: '+09:00' });
    assert.equal((await fetch(`${urlOf('python')}?zone=nowhere`)).status, 400);
    const events = await (await fetch(`${urlOf('python')}/countdown`)).text();
    assert.match(events, /^event: tick\ndata: 3\n\n[\s\S]*data: lift-off\n\n$/);
  },
  async dependencies() {
    await apply('dependencies');
    await waitReady('kebab');
    const answer = await fetch(urlOf('kebab'));
    assert.equal(await answer.text(), 'hello-world-from-fnlet');
  },
  async events() {
    await deploy('events');
    const answer = await fetch(urlOf('events'));
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.deepEqual((await answer.text()).match(/"count":\d/g), [
      '"count":1',
      '"count":2',
      '"count":3',
    ]);
  },
  async websocket() {
    await deploy('websocket');
    const socket = new WebSocket(urlOf('websocket').replace('http', 'ws'));
    const echoed = new Promise((resolve, reject) => {
      socket.onmessage = (message) => resolve(message.data);
      socket.onerror = () => reject(new Error('the WebSocket failed'));
    });
    socket.onopen = () => socket.send('ping');
    assert.equal(await echoed, 'ping');
    socket.close();
  },
  async environment() {
    await apply('environment');
    await waitReady('greeter');
    assert.equal(await (await fetch(urlOf('greeter'))).text(), 'Hello Ada!');
    const patch = '{"data": {"greeting": "Hej"}}';
    await fnlet.kubectl(['patch', 'configmap', 'greeting-config', '--type=merge', '-p', patch]);
    await until(async () => (await (await fetch(urlOf('greeter'))).text()) === 'Hej Ada!', {
      what: 'the changed ConfigMap to arrive',
    });
  },
  async routes() {
    await apply('routes');
    await waitReady('shop');
    await fnlet.kubectl(['wait', '--for=condition=Ready', 'trigger/shop', '--timeout=60s']);
    const { port } = new URL(fnlet.endpoints.gateway);
    const headers = ['-H', 'Host: shop.example.com'];
    const url = `http://127.0.0.1:${port}/items`;
    // fetch() sets Host itself.
    const ask = async (...args: string[]): Promise<string> =>
      (await runProgram('curl', ['-s', ...headers, ...args])).stdout;
    assert.equal(await ask(url), 'All items');
    assert.equal(await ask(`${url}/42`), 'Item 42');
    assert.match(await ask('-X', 'DELETE', url), /^DELETE is not allowed here, but GET, HEAD/);
  },
  async canary() {
    await apply('canary');
    await waitReady('careful');
    assert.equal(await (await fetch(urlOf('careful'))).text(), 'first');
    const patch = JSON.stringify({
      spec: {
        source: { inline: "export default () => 'second';" },
        // A busy machine is no reason to roll it back.
        rollout: { canary: { latency: { p99: '30s' } } },
      },
    });
    await fnlet.kubectl(['patch', 'function', 'careful', '--type=merge', '-p', patch]);
    const seen = new Set<string>();
    await until(
      async () => {
        // Of many calls few go to the new code, and it is judged only after ten.
        for (let call = 0; call < 10; call++) {
          seen.add(await (await fetch(urlOf('careful'))).text());
        }
        const ready = '{.status.conditions[?(@.type=="Ready")].status} {.status.canary.phase}';
        const state = ['get', 'function', 'careful', '-o', `jsonpath=${ready}`];
        return seen.size === 2 && (await fnlet.kubectl(state)).stdout === 'True ';
      },
      { what: 'the canary to take over', timeoutMs: 60_000 },
    );
    assert.equal(await (await fetch(urlOf('careful'))).text(), 'second');
  },
  async 'file-watcher'() {
    await using stack = new AsyncDisposableStack();
    const folder = join(examples, 'file-watcher');
    const inbox = await mkdtemp(join(tmpdir(), 'fnlet-inbox-'));
    stack.defer(() => rm(inbox, { recursive: true, force: true }));
    const text = await readFile(join(folder, 'trigger.yaml'), 'utf8');
    const manifest = join(inbox, '.trigger.yaml');
    await writeFile(manifest, text.replaceAll('/tmp/inbox', inbox));
    const kubectl = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await fnlet.kubectl(args);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const logged = (line: string): Promise<unknown> => {
      const logs = ['logs', '-l', 'fnlet.dev/function=files', '--tail=-1'];
      const isThere = async () => (await kubectl(...logs)).includes(line);
      return until(isThere, { what: line, timeoutMs: 60_000 });
    };
    // In one step: a file that is seen while it is written would be sent as it is by then.
    const put = async (name: string, content: string): Promise<void> => {
      await writeFile(join(inbox, `.${name}`), content);
      await rename(join(inbox, `.${name}`), join(inbox, name));
    };
    await kubectl(
      'create',
      'configmap',
      'file-watcher',
      `--from-file=${join(folder, 'watch.mjs')}`,
    );
    await kubectl('apply', '-f', manifest);
    await kubectl('wait', '--for=condition=Ready', 'trigger/files', '--timeout=120s');
    await put('a.txt', 'first');
    await logged('a.txt first');
    await until(() => existsSync(join(inbox, 'sent/a.txt')), { what: 'a.txt to be sent' });
    // A token that may be known to others: a new one is made, and the Pod is made anew with it.
    await kubectl('delete', 'secret', 'files-source');
    await put('b.txt', 'second');
    await logged('b.txt second');
    // The same program, run by somebody else.
    const patch = '{"spec":{"source":{"custom":{"template":null}}}}';
    await kubectl('patch', 'trigger', 'files', '--type=merge', '-p', patch);
    await kubectl('wait', '--for=delete', 'deployment/files-source', '--timeout=60s');
    const secret = JSON.parse(await kubectl('get', 'secret', 'files-source', '-o', 'json'));
    const [K_SINK, K_SINK_TOKEN] = [secret.data.url, secret.data.token].map((value) => atob(value));
    const env = { ...process.env, K_SINK, K_SINK_TOKEN, INBOX: inbox };
    const program = spawn(process.execPath, [join(folder, 'watch.mjs')], { env, stdio: 'ignore' });
    stack.defer(async () => {
      const ended = once(program, 'exit');
      program.kill();
      await ended;
    });
    await put('c.txt', 'third');
    await logged('c.txt third');
  },
  async 'kyma-hello'() {
    await runKyma('kyma-hello');
    const answer = await fetch(`${urlOf('kyma-hello')}?name=ada`);
    assert.equal(await answer.text(), 'Hello Ada From Kyma Hello');
  },
  async 'kyma-secret'() {
    await runKyma('kyma-secret');
    assert.equal(await (await fetch(urlOf('kyma-secret'))).text(), 'Hello Ada!');
    const patch = '{"stringData": {"greeting": "Hej"}}';
    await fnlet.kubectl(['patch', 'secret', 'kyma-secret', '--type=merge', '-p', patch]);
    await until(async () => (await (await fetch(urlOf('kyma-secret'))).text()) === 'Hej Ada!', {
      what: 'the changed Secret to arrive',
    });
  },
  async 'kubeless-hello'() {
    await apply('kubeless-hello');
    const object = 'functions.kubeless.io/kubeless-hello';
    const wait = ['wait', '--for=condition=Ready', object, '--timeout=120s'];
    const { code, stderr } = await fnlet.kubectl(wait);
    assert.equal(code, 0, stderr);
    const answer = await fetch(urlOf('kubeless-hello'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"ada"}',
    });
    assert.equal(await answer.text(), 'Hello Ada From Greet');
  },
};

/** Those of operators in Python: operator-places.client.test.ts. */
const toldElsewhere: ReadonlySet<string> = new Set(['python-operator']);

for (const [name, story] of Object.entries(stories)) test(`examples/${name}`, story);

test('every example has its story, or a test of its own', async () => {
  const found = await readdir(examples, { withFileTypes: true });
  for (const { name } of found.filter((entry) => entry.isDirectory())) {
    const files = await readdir(join(examples, name));
    const isTested = files.some((file) => file.endsWith('.test.ts'));
    const isTold = Object.hasOwn(stories, name) || toldElsewhere.has(name);
    assert.ok(isTested || isTold, `examples/${name}`);
  }
});
