import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { StartedRunner } from './started-runner.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'a=1' };

const source = `
  const http = require('node:http');
  const get = (options) => new Promise((resolve, reject) => {
    const request = http.request(process.env.TARGET, options, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    });
    request.on('error', reject).end();
  });
  exports.main = async ({ extensions: { request } }) => {
    const headers = request.path === '/own' ? { traceparent: 'own' } : {};
    const [byHttp, byFetch] = await Promise.all([
      get({ headers }),
      fetch(process.env.TARGET, { headers }).then((response) => response.text()),
    ]);
    return [JSON.parse(byHttp), JSON.parse(byFetch)];
  };`;

let target: Server;
const runners = new Map<string, StartedRunner>();
before(async () => {
  target = createServer((request, response) => {
    response.end(JSON.stringify(request.headers));
  });
  await new Promise<void>((resolve) => {
    target.listen(0, '127.0.0.1', resolve);
  });
  const env = { TARGET: `http://127.0.0.1:${portOf(target.address())}` };
  for (const compatibility of ['kyma', undefined] as const) {
    const options = { files: { 'handler.js': source }, env, handler: 'main' };
    const given = compatibility === undefined ? options : { ...options, compatibility };
    runners.set(String(compatibility), await StartedRunner.start(given));
  }
});
after(async () => {
  for (const runner of runners.values()) await runner[Symbol.asyncDispose]();
  target.close();
  target.closeAllConnections();
});

interface Sent {
  readonly compatibility: 'kyma' | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** What the function sent with `http` and with `fetch`. */
async function sentBy({
  compatibility,
  headers,
  path = '/',
}: Sent): Promise<IncomingHttpHeaders[]> {
  const runner = runners.get(String(compatibility));
  assert.ok(runner);
  const { body, status } = await runner.call({ path, headers });
  assert.equal(status, 200, body);
  return JSON.parse(body);
}

const pick = (headers: IncomingHttpHeaders): readonly unknown[] => [
  headers.traceparent,
  headers.tracestate,
  headers['x-b3-traceid'],
  headers['x-b3-spanid'],
  headers['x-b3-sampled'],
];

test('outgoing requests of a traced call carry its trace, with one span of its own', async () => {
  const [byHttp = {}, byFetch = {}] = await sentBy({ compatibility: 'kyma', headers: sampled });
  const span = String(byHttp['x-b3-spanid']);
  assert.match(span, /^[\da-f]{16}$/);
  assert.notEqual(span, spanId);
  const expected = [`00-${traceId}-${span}-01`, 'a=1', traceId, span, '1'];
  assert.deepEqual(pick(byHttp), expected);
  assert.deepEqual(pick(byFetch), expected);
});

test('a call that is only to be sampled begins a trace (Kyma)', async () => {
  const headers = { 'x-b3-sampled': '1' };
  for (const sent of await sentBy({ compatibility: 'kyma', headers })) {
    assert.match(String(sent.traceparent), /^00-[\da-f]{32}-[\da-f]{16}-01$/);
    assert.match(String(sent['x-b3-traceid']), /^[\da-f]{32}$/);
  }
});

test("Fnlet's own functions send no B3 headers", async () => {
  for (const sent of await sentBy({ compatibility: undefined, headers: sampled })) {
    assert.match(String(sent.traceparent), new RegExp(`^00-${traceId}-`));
    assert.equal(sent['x-b3-traceid'], undefined);
  }
});

test('a header of the function itself stays', async () => {
  for (const sent of await sentBy({ compatibility: 'kyma', headers: sampled, path: '/own' })) {
    assert.equal(sent.traceparent, 'own');
  }
});

test('a call without a trace sends nothing of the kind', async () => {
  for (const sent of await sentBy({ compatibility: 'kyma', headers: {} })) {
    assert.deepEqual(pick(sent), [undefined, undefined, undefined, undefined, undefined]);
  }
});

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
