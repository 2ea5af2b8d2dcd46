/** Asynchronous calls of a real Fnlet: accepted durably, delivered whatever happens. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const later = { Prefer: 'respond-async' };

/** Writes down every call, and does what its path asks for. */
function recorder(file: string): string {
  return `
import { appendFileSync, existsSync } from 'node:fs';
export default async (request) => {
  const { pathname } = new URL(request.url);
  const id = request.headers.get('x-call-id');
  const attempt = request.headers.get('x-call-attempt');
  appendFileSync(${JSON.stringify(file)}, id + ' ' + attempt + ' ' + pathname + '\\n');
  if (pathname === '/poison') process.exit(1);
  if (pathname === '/slow') await new Promise((resolve) => setTimeout(resolve, 50));
  if (pathname === '/held' && !existsSync(${JSON.stringify(`${file}.open`)})) await new Promise(() => {});
  if (pathname === '/refused') return new Response('no', { status: 422 });
  if (pathname === '/twice' && attempt === '1') return new Response('not yet', { status: 503 });
  return new Response(request.method + ' ' + (await request.text()), { status: 201 });
};`;
}

let fnlet: FnletProcess;
let api: TestApi;
let runs: string;
before(async () => {
  fnlet = await startFnlet({ args: ['--callback-hosts', '127.0.0.1'] });
  api = await createApi(fnlet.endpoints.kubeconfig);
  runs = join(fnlet.dataDirectory, 'runs');
  const spec = { source: { inline: recorder(runs) }, scale: { idleAfter: '1s' } };
  await api.applyFunction('jobs', spec);
  await api.waitReady('jobs');
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

async function accept(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    ...init,
    headers: { ...later, ...init.headers },
  });
  const text = await response.text();
  assert.equal(response.status, 202, text);
  return new URL(response.headers.get('location') ?? '', url).href;
}

async function look(location: string): Promise<JsonObject> {
  const value: unknown = await (await fetch(location)).json();
  assert(isJsonObject(value));
  return value;
}

function untilState(location: string, state: string): Promise<JsonObject> {
  return until(
    async () => {
      const view = await look(location);
      return view.state === state ? view : undefined;
    },
    { what: `${location} to be ${state}` },
  );
}

async function runsOf(file: string, id: unknown): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.filter((line) => line.startsWith(`${id} `));
}

test('a call is accepted at once, wakes its function, and its answer is kept', async () => {
  const pods = (): Promise<readonly unknown[]> => api.podsOf('jobs');
  await until(async () => (await pods()).length === 0, { what: 'the Function to sleep' });
  const url = `${fnlet.endpoints.gateway}/default/jobs/path`;
  const response = await fetch(url, { method: 'POST', headers: later, body: 'body' });
  assert.equal(response.status, 202);
  assert.equal(response.headers.get('preference-applied'), 'respond-async');
  const location = new URL(response.headers.get('location') ?? '', url).href;
  const view = await untilState(location, 'succeeded');
  assert.equal(view.id, response.headers.get('x-call-id'));
  assert.deepEqual([view.attempts, view.status], [1, 201]);
  const answer = await fetch(`${location}/answer`);
  assert.deepEqual([answer.status, await answer.text()], [201, 'POST body']);
});

test('a path below /async does the same, for whoever can set no header', async () => {
  const response = await fetch(`${fnlet.endpoints.gateway}/async/default/jobs/x`, {
    method: 'PUT',
  });
  assert.equal(response.status, 202);
  assert.equal(response.headers.get('preference-applied'), null);
  const location = new URL(response.headers.get('location') ?? '', response.url).href;
  await untilState(location, 'succeeded');
  assert.equal(await (await fetch(`${location}/answer`)).text(), 'PUT ');
});

test('a function that does not exist is said to be missing, not accepted', async () => {
  const gone = `${fnlet.endpoints.gateway}/default/gone`;
  assert.equal((await fetch(gone, { headers: later })).status, 404);
  const unknown = `${fnlet.endpoints.gateway}/-/calls/6f1c9a52-0000-4000-8000-000000000000`;
  assert.equal((await fetch(unknown)).status, 404);
});

test('a call is tried again after an error, by the same id', async () => {
  const location = await accept(`${fnlet.endpoints.gateway}/default/jobs/twice`);
  const { id } = await untilState(location, 'succeeded');
  assert.deepEqual(await runsOf(runs, id), [`${id} 1 /twice`, `${id} 2 /twice`]);
});

test('the same key is the same call, and another request with it is refused', async () => {
  const url = `${fnlet.endpoints.gateway}/default/jobs/order`;
  const headers = { ...later, 'Idempotency-Key': 'order-7' };
  const first = await accept(url, { headers, body: '1' });
  assert.equal(await accept(url, { headers, body: '1' }), first);
  const other = await fetch(url, { method: 'POST', headers, body: '2' });
  assert.equal(other.status, 422);
  const { id } = await untilState(first, 'succeeded');
  assert.equal((await runsOf(runs, id)).length, 1);
});

test('a call that kills its Instance does not keep others from theirs, and comes to an end', async () => {
  const gateway = `${fnlet.endpoints.gateway}/default/jobs`;
  const attempts = { headers: { 'X-Call-Attempts': '2' } };
  const poison = await accept(`${gateway}/poison`, attempts);
  const others = await Promise.all(Array.from({ length: 20 }, () => accept(`${gateway}/slow`)));
  for (const other of others) await untilState(other, 'succeeded');
  const failed = await untilState(poison, 'failed');
  assert.equal(failed.attempts, 2);
  assert.equal((await runsOf(runs, failed.id)).length, 2);
});

test('a call that came to nothing can be tried anew', async () => {
  const location = await accept(`${fnlet.endpoints.gateway}/default/jobs/refused`);
  const { id } = await untilState(location, 'failed');
  const again = await fetch(`${location}/retry`, { method: 'POST' });
  assert.equal(again.status, 202);
  await until(async () => (await runsOf(runs, id)).length === 2, { what: 'the second try' });
});

test('what waits can be taken back', async () => {
  const headers = "{ 'retry-after': '600' }";
  const inline = `export default () => new Response('busy', { status: 503, headers: ${headers} });`;
  await api.applyFunction('busy', { source: { inline } });
  await api.waitReady('busy');
  const location = await accept(`${fnlet.endpoints.gateway}/default/busy`);
  await untilState(location, 'retrying');
  const cancelled = await fetch(location, { method: 'DELETE' });
  assert.equal(cancelled.status, 200);
  assert.equal((await look(location)).state, 'cancelled');
});

test('a callback URL gets the answer, also when that is another function', async () => {
  const received: { request: IncomingMessage; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ request, body });
    response.writeHead(received.length === 1 ? 503 : 204).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const url = `${fnlet.endpoints.gateway}/default/jobs/called`;
  const callback = `http://127.0.0.1:${address.port}/done?n=1`;
  const location = await accept(url, { headers: { 'X-Callback-Url': callback }, body: 'x' });
  await until(() => received.length === 2, { what: 'the callback to be tried again' });
  const [, second] = received;
  assert.equal(second?.body, 'POST x');
  assert.equal(second.request.url, '/done?n=1');
  assert.equal(second.request.headers['x-call-id'], location.split('/').at(-1));
  assert.equal(second.request.headers['x-function-status'], '201');
  server.close();
  server.closeAllConnections();

  const chained = `${fnlet.endpoints.gateway}/default/jobs/chained`;
  await accept(url, { headers: { 'X-Callback-Url': chained } });
  await until(async () => (await readFile(runs, 'utf8')).includes('/chained\n'), {
    what: 'the other function to be called',
  });
});

test('nothing is sent to where only this machine reaches, unless that is allowed', async () => {
  const headers = { ...later, 'X-Callback-Url': 'http://169.254.169.254/latest' };
  const refused = await fetch(`${fnlet.endpoints.gateway}/default/jobs`, { headers });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /CallbackRefused/);
});

test('who may see a namespace sees its calls, takes them back and tries them anew', async () => {
  const run = async (...args: string[]): Promise<JsonObject> => {
    const { code, stdout, stderr } = await fnlet.cli(['calls', ...args, '-o', 'json']);
    assert.equal(code, 0, stderr);
    const value: unknown = JSON.parse(stdout);
    assert(isJsonObject(value));
    return value;
  };
  const waiting = await accept(`${fnlet.endpoints.gateway}/default/busy`);
  await untilState(waiting, 'retrying');
  const id = waiting.split('/').at(-1) ?? '';
  assert.equal((await run('cancel', id)).state, 'cancelled');
  const { items } = await run('ls', 'busy', '--state', 'cancelled', '--limit', '1');
  assert(Array.isArray(items));
  assert.deepEqual([items.length, items[0].id], [1, id]);
  assert.equal((await run('retry', id)).attempts, 0);
  assert.equal((await run('get', id)).id, id);
  const elsewhere = await fnlet.cli(['calls', 'get', id, '-n', 'kube-system']);
  assert.deepEqual([elsewhere.code, elsewhere.stdout], [3, '']);
  const wrong = await fnlet.cli(['calls', 'ls', '--state', 'lost']);
  assert.match(wrong.stderr, /expected one of queued/);
  assert.match((await fnlet.cli(['calls', 'ls', '-A'])).stdout, /^NAMESPACE +ID +FUNCTION/);
});

test('kill -9 between acceptance and delivery loses nothing that was accepted', async () => {
  const dataDirectory = await makeDataDirectory();
  const file = join(dataDirectory, 'runs');
  try {
    const first = await startFnlet({ dataDirectory });
    const own = await createApi(first.endpoints.kubeconfig);
    await own.applyFunction('jobs', { source: { inline: recorder(file) } });
    await own.waitReady('jobs');
    const url = `${first.endpoints.gateway}/default/jobs/held`;
    const ids: string[] = [];
    let isOver = false;
    const client = async (): Promise<void> => {
      while (!isOver) {
        const response = await fetch(url, { method: 'POST', headers: later }).catch(
          () => undefined,
        );
        if (response?.status !== 202) return;
        ids.push(response.headers.get('x-call-id') ?? '');
      }
    };
    const clients = Array.from({ length: 20 }, client);
    await until(() => ids.length >= 400, { what: '400 accepted calls' });
    const ended = first.stop('SIGKILL');
    isOver = true;
    await ended;
    await Promise.all(clients);
    await own.close();
    const ran = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').length - 1 : 0;
    assert.ok(ran < ids.length, `${ran} of ${ids.length} calls ran before the end: too many`);

    await writeFile(`${file}.open`, '');
    const second = await startFnlet({ dataDirectory });
    for (const id of ids)
      await untilState(`${second.endpoints.gateway}/-/calls/${id}`, 'succeeded');
    const lines = await readFile(file, 'utf8');
    for (const id of ids) assert.ok(lines.includes(`${id} `), `call ${id} never ran`);
    await second.stop();
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
