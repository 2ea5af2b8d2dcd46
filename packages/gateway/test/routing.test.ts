import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type HttpRoute, parseRoutePath, type Verdict, type WrittenPath } from '../src/index.ts';
import type { Responder } from '../src/inner/responder.ts';
import { parseTrustedProxies } from '../src/policy/client-address.ts';
import type { RoutePolicy } from '../src/policy/route-policy.ts';
import { createIdentity, onlyFallback } from './front-clients.ts';
import { type Rig, route, startRig, startWarmRig } from './rig.ts';

const target = { namespace: 'default', function: 'hello' };

function httpRoute(written: WrittenPath | string, overrides: Partial<HttpRoute> = {}): HttpRoute {
  const path = typeof written === 'string' ? { kind: 'prefix' as const, text: written } : written;
  const matches = [{ host: 'shop.example', path: parseRoutePath(path), methods: [] }];
  return { id: 'default/shop', matches, target, ...overrides };
}

/** A rig whose function tells what it was sent. */
async function startEcho(t: Parameters<typeof startWarmRig>[0], ...routes: HttpRoute[]) {
  const seen: IncomingMessage[] = [];
  const rig = await startWarmRig(t, (request, response) => {
    seen.push(request);
    response.end(request.url);
  });
  rig.gateway.setHttpRoutes(routes);
  return { rig, seen };
}

/** Status and body of the answer to one request. */
async function ask(rig: Rig, line: string, ...fields: string[]): Promise<string> {
  const lines = [`${line} HTTP/1.1`, 'Host: shop.example', 'Connection: close', ...fields];
  const given = fields.some((field) => /^host:/i.test(field));
  const sent = given ? lines.filter((each) => each !== 'Host: shop.example') : lines;
  const answer = await rig.exchange(`${sent.join('\r\n')}\r\n\r\n`);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return `${head.slice(9, 12)} ${body.replace(/ \(request .*\)\n$/, '')}`;
}

test('a path reaches the function as it came, or with what matched replaced', async (t) => {
  const { rig } = await startEcho(t, httpRoute('/api'));
  assert.equal(await ask(rig, 'GET /api/a%20b//c?x=/api'), '200 /api/a%20b//c?x=/api');
  for (const [rewrite, path, expected] of [
    ['/', '/api/a?b', '/a?b'],
    ['/', '/api', '/'],
    ['/', '/api?b=c', '/?b=c'],
    ['/', '/api/', '/'],
    ['/', '/api//a', '//a'],
    ['/v1', '/api/a', '/v1/a'],
    ['/v1', '/api', '/v1'],
    ['/v1/', '/api/a', '/v1/a'],
  ] as const) {
    rig.gateway.setHttpRoute(httpRoute('/api', { rewrite }));
    assert.equal(await ask(rig, `GET ${path}`), `200 ${expected}`, `${rewrite} ${path}`);
  }
  rig.gateway.setHttpRoute(httpRoute({ kind: 'exact', text: '/a/b' }, { rewrite: '/c' }));
  assert.equal(await ask(rig, 'GET /a/b?d'), '200 /c?d');
  const pattern = { kind: 'pattern', text: '/u/{id}/{rest...}' } as const;
  rig.gateway.setHttpRoute(httpRoute(pattern, { rewrite: '/files' }));
  assert.equal(await ask(rig, 'GET /u/7/a/b'), '200 /files/a/b');
});

/** Status and Location of the answer to a request at that port. */
async function sentTo(rig: Rig, line: string, ...fields: string[]): Promise<string> {
  const lines = [`${line} HTTP/1.1`, 'Host: shop.example:8080', 'Connection: close', ...fields];
  const answer = await rig.exchange(`${lines.join('\r\n')}\r\n\r\n`);
  return `${answer.slice(9, 12)} ${/\r\nLocation: (.*)\r\n/.exec(answer)?.[1] ?? ''}`;
}

test('what is for TLS only is asked for again over TLS, with the same method and URL', async (t) => {
  const { rig, seen } = await startEcho(t, httpRoute('/api', { httpsOnly: true, rewrite: '/' }));
  assert.equal(await sentTo(rig, 'GET /api/a?b=%2F'), '308 https://shop.example/api/a?b=%2F');
  const { sign } = await createIdentity();
  const source = onlyFallback(await sign('shop.example'));
  const { port } = await rig.gateway.listenTls({ host: '127.0.0.1', port: 0 }, source);
  const location = `https://shop.example:${port}/api`;
  assert.equal(await sentTo(rig, 'POST /api', 'Content-Length: 0'), `308 ${location}`);
  assert.equal(await sentTo(rig, 'GET /api', 'X-Forwarded-Proto: https'), `308 ${location}`);
  assert.equal(await sentTo(rig, 'GET /other'), '404 ');
  assert.equal(seen.length, 0);
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  t.after(() => session.destroy());
  const fields = { ':authority': 'shop.example', ':path': '/api/a' };
  assert.equal(await text(session.request(fields)), '/a');
});

test('a trusted proxy says whether TLS was spoken before it, at a port that it knows', async (t) => {
  const trustedProxies = parseTrustedProxies('127.0.0.1');
  assert.ok(trustedProxies !== undefined);
  const rig = await startWarmRig(t, (_, response) => response.end(), {
    gateway: { trustedProxies },
  });
  rig.gateway.setHttpRoute(httpRoute('/', { httpsOnly: true }));
  assert.equal(await sentTo(rig, 'GET /', 'X-Forwarded-Proto: https'), '200 ');
  const plain = '308 https://shop.example/';
  assert.equal(await sentTo(rig, 'GET /', 'X-Forwarded-Proto: http'), plain);
  assert.equal(await sentTo(rig, 'GET /'), plain);
});

test('functions are told parameters as a query, and nobody else can tell them', async (t) => {
  const pattern = { kind: 'pattern', text: '/u/{id}/{rest...}' } as const;
  const { rig, seen } = await startEcho(t, httpRoute(pattern));
  const forged = ['X-Fnlet-Parameters: id=8', 'x_fnlet_parameters: id=9'];
  await ask(rig, 'GET /u/J%C3%B6rg+&=%26/a/b', ...forged);
  const { headers } = seen[0] ?? {};
  assert.equal(headers?.['x-fnlet-parameters'], 'id=J%C3%B6rg%2B%26=%26&rest=a/b');
  assert.equal(headers?.x_fnlet_parameters, undefined);
  const told = new URLSearchParams(String(headers?.['x-fnlet-parameters']));
  assert.deepEqual(Object.fromEntries(told), { id: 'Jörg+&=&', rest: 'a/b' });

  rig.gateway.setHttpRoute(httpRoute('/'));
  await ask(rig, 'GET /', ...forged);
  assert.equal(seen[1]?.headers['x-fnlet-parameters'], undefined);
});

test('nor does a client that calls a function by its name tell it what only the Gateway says', async (t) => {
  const { rig, seen } = await startEcho(t, httpRoute('/'));
  const forged = ['X-Fnlet-Parameters: id=8', 'x_fnlet_parameters: id=9', 'X-Fnlet-Mirror: true'];
  await ask(rig, 'GET /default/hello', ...forged, 'X_Fnlet-mirror: true');
  const names = Object.keys(seen[0]?.headers ?? {});
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name) => /^x[-_]fnlet[-_]/.test(name)),
    [],
  );
});

test('another method is answered 405 with what is allowed', async (t) => {
  const { rig } = await startEcho(
    t,
    httpRoute('/', {
      matches: [
        {
          host: '',
          path: parseRoutePath({ kind: 'prefix', text: '/a' }),
          methods: ['GET', 'POST'],
        },
      ],
    }),
  );
  assert.equal(await ask(rig, 'POST /a'), '200 /a');
  assert.equal(await ask(rig, 'HEAD /a'), '200 ');
  const request = 'DELETE /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
  assert.match(
    await rig.exchange(request),
    /^HTTP\/1.1 405 Method Not Allowed\r\n[\s\S]*\r\nAllow: GET, POST, HEAD\r\n/,
  );
});

test('a policy is asked about methods that are not allowed, too: preflights are its own', async (t) => {
  const verdict: Verdict = {
    kind: 'refusal',
    answer: { status: 204, code: 'Preflight', message: '' },
  };
  const path = parseRoutePath({ kind: 'prefix', text: '/' });
  const open = httpRoute('/', { id: 'open', matches: [{ host: '', path, methods: ['GET'] }] });
  const guarded = httpRoute('/', {
    id: 'guarded',
    matches: [{ host: '', path, methods: ['PUT'] }],
    policy: { admit: () => verdict },
  });
  const { rig } = await startEcho(t, open, guarded);
  const asked = (method: string) =>
    ask(rig, 'OPTIONS /', `Access-Control-Request-Method: ${method}`);
  assert.match(await asked('PUT'), /^204/);
  assert.match(await asked('GET'), /^405/);
});

test('a route whose Function is not there answers 503 until it is', async (t) => {
  const rig = await startRig(t);
  rig.gateway.removeRoute('default', 'hello');
  rig.gateway.setHttpRoutes([httpRoute('/')]);
  const missing = 'Function default/hello, which does not exist';
  assert.equal(await ask(rig, 'GET /'), `503 This route leads to ${missing}`);
  rig.gateway.setRoute(route({ revision: undefined }));
  assert.match(await ask(rig, 'GET /'), /^503 Function default\/hello is not ready/);
  const { revision } = route();
  assert.ok(revision !== undefined);
  rig.gateway.setEndpoints(revision, [await rig.instance((_, response) => response.end('here'))]);
  rig.gateway.setRoute(route());
  assert.equal(await ask(rig, 'GET /'), '200 here');
});

test('a route to a tag takes its share, and no other', async (t) => {
  const { rig } = await startEcho(t, httpRoute('/', { target: { ...target, tag: 'next' } }));
  const missing = 'the tag "next", which Function default/hello has not';
  assert.equal(await ask(rig, 'GET /'), `503 This route leads to ${missing}`);
  const next = route({ revision: 'default/hello-2' });
  rig.gateway.setEndpoints('default/hello-2', [
    await rig.instance((_, response) => response.end('next')),
  ]);
  const shares = [
    { route: route(), percent: 100 },
    { route: next, percent: 0, tag: 'next' },
  ];
  rig.gateway.setRoute(route({ split: { shares } }));
  assert.equal(await ask(rig, 'GET /'), '200 next');
});

test('a host that routes name shows them and nothing else', async (t) => {
  const { rig } = await startEcho(
    t,
    httpRoute('/api'),
    httpRoute('/any', {
      id: 'any',
      matches: [{ host: '', path: parseRoutePath({ kind: 'prefix', text: '/any' }), methods: [] }],
    }),
  );
  assert.match(await ask(rig, 'GET /default/hello'), /^404 No function answers/);
  assert.equal(await ask(rig, 'GET /any'), '200 /any');
  assert.equal(await ask(rig, 'GET http://SHOP.example:80/api', 'Host: other'), '200 /api');
  assert.match(await ask(rig, 'GET /x/../api'), /^400 Cannot route the request/);
  assert.equal(await ask(rig, 'GET /-/healthz'), '200 ok\n');
  assert.equal(await ask(rig, 'GET /default/hello/x', 'Host: other'), '200 /x');
  assert.equal(await ask(rig, 'GET /x', 'Host: hello.default'), '200 /x');
});

test('no route takes away the names that a Function has inside', async (t) => {
  const path = parseRoutePath({ kind: 'prefix', text: '/' });
  const hosts = ['hello.default', '*.default', '*.local', '*.svc', 'shop.default'];
  const matches = hosts.map((host) => ({ host, path, methods: [] }));
  const { rig } = await startEcho(t, httpRoute('/', { matches, rewrite: '/taken' }));
  for (const host of ['hello.default', 'Hello.Default.:80', 'hello.default.svc.cluster.local:80']) {
    assert.equal(await ask(rig, 'GET /x', `Host: ${host}`), '200 /x', host);
  }
  for (const host of ['shop.default', 'other.default', 'a.b.svc.cluster.local']) {
    assert.match(await ask(rig, 'GET /x', `Host: ${host}`), /^200 \/taken/, host);
  }
});

test('a route of any host shadows neither Functions nor the Gateway itself', async (t) => {
  const path = parseRoutePath({ kind: 'prefix', text: '/' });
  const any = httpRoute('/', { matches: [{ host: '', path, methods: [] }] });
  const { rig } = await startEcho(t, any);
  assert.equal(await ask(rig, 'GET /default/hello/x'), '200 /x');
  assert.equal(await ask(rig, 'GET /default/other'), '200 /default/other');
  assert.equal(await ask(rig, 'GET /-/healthz'), '200 ok\n');
  assert.match(await ask(rig, 'GET /-/other'), /^404/);
});

test('a route of the very host has the paths of the Gateway as well', async (t) => {
  const { rig } = await startEcho(t, httpRoute('/'));
  assert.equal(await ask(rig, 'GET /-/healthz'), '200 /-/healthz');
  rig.gateway.removeHttpRoute('default/shop');
  assert.equal(await ask(rig, 'GET /-/healthz'), '200 ok\n');
});

test('a path leads to the Function that it names in every reading, or nowhere', async (t) => {
  const { rig } = await startEcho(t);
  const answers = async (path: string, ...fields: string[]): Promise<string> =>
    (await ask(rig, `GET ${path}`, ...fields)).slice(0, 3);
  for (const [path, expected] of [
    ['/default/hello/a//b%2Fc\\d', '200'],
    ['/default/%68ello', '200'],
    ['/default/hello?a=../b//c', '200'],
    ['//default/hello', '400'],
    ['/default//hello/x', '400'],
    ['/default%2fhello', '400'],
    ['/default\\hello', '400'],
    ['/default/hello%2Fx', '400'],
    ['/default/hello/../other', '400'],
    ['/default/hello/%2e%2e', '400'],
    ['/./default/hello', '400'],
    ['/default/hello/a/../b/.', '200'],
    ['/default/hello/%00', '200'],
    ['/default/other/../hello', '400'],
    ['//default/other', '404'],
  ] as const) {
    assert.equal(await answers(path), expected, path);
    // Where the host names it, nothing is read out of the path.
    assert.equal(await answers(path, 'Host: hello.default'), '200', path);
  }
  // Nor does a route of any host take what another reading gives to a Function.
  const any = { host: '', path: parseRoutePath({ kind: 'prefix', text: '/' }), methods: [] };
  rig.gateway.setHttpRoutes([httpRoute('/', { matches: [any] })]);
  assert.equal(await answers('/default%2fhello'), '400');
  assert.equal(await answers('/other%2fhello'), '200');
});

test('a call that was accepted for later is asked about at the host that accepted it', async (t) => {
  const asked: string[] = [];
  const later: Responder = {
    bodyBytesMax: 10,
    async respond({ method, target }) {
      asked.push(`${method} ${target}`);
      return { status: 202, headers: [], body: 'later' };
    },
  };
  const rig = await startRig(t, { later });
  const guarded: RoutePolicy = {
    admit: ({ head }) =>
      head.fields.kept.includes('X-Key')
        ? { kind: 'pass' }
        : { kind: 'refusal', answer: { status: 401, code: 'None', message: 'no' } },
  };
  const matches = [
    {
      host: 'shop.example',
      path: parseRoutePath({ kind: 'prefix', text: '/' }),
      methods: ['POST'],
    },
  ];
  rig.gateway.setHttpRoute(httpRoute('/', { matches, policy: guarded }));
  const call = '/-/calls/01a22585-dcdc-7b34-8649-ae52e550d3eb';
  assert.equal(await ask(rig, `GET ${call}/answer`, 'X-Key: 1'), '202 later');
  assert.equal(await ask(rig, `POST ${call}/retry`, 'X-Key: 1'), '202 later');
  assert.equal(await ask(rig, `GET ${call}`, 'Host: hello.default'), '202 later');
  assert.deepEqual(asked, [`GET ${call}/answer`, `POST ${call}/retry`, `GET ${call}`]);
  assert.equal(await ask(rig, `GET ${call}`), '401 no');
  // Whatever else a route has below this path is its own.
  assert.match(await ask(rig, 'GET /-/calls/7', 'X-Key: 1'), /^405 /);
  assert.equal(asked.length, 3);
});
