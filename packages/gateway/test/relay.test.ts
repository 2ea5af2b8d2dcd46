import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { gate, revision, startRig, startWarmRig } from './rig.ts';

test('the rest of path and query reaches the function byte for byte', async (t) => {
  const seen: (string | undefined)[] = [];
  const rig = await startWarmRig(t, (incoming, answer) => {
    seen.push(incoming.url);
    answer.end();
  });
  const targets = ['', '/', '?a=1', '/a//b/../c?x=%2F&y=a+b', '/%41%2f;p=1?', '/a|b\\"<>'];
  for (const target of targets) {
    await rig.exchange(
      `GET /default/hello${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
  }
  assert.deepEqual(seen, [
    '/',
    ...targets.slice(1).map((path) => (path[0] === '?' ? `/${path}` : path)),
  ]);
});

test('the Host form leaves the path alone and wins where both labels name a route', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => answer.end(incoming.url));
  const get = (path: string, host: string): Promise<string> =>
    rig.exchange(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  assert.match(
    await get('/default/hello/x', 'hello.default.localhost:8080'),
    /\n\/default\/hello\/x$/,
  );
  assert.match(await get('/x', 'HELLO.Default.example.org'), /\n\/x$/);
  assert.match(await get('/default/hello/x', 'other.default.localhost'), /\n\/x$/);
  assert.match(await get('/x', 'other.default.localhost'), /^HTTP\/1.1 404 /);
});

test('an absolute target names the host and is turned into a path', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) =>
    answer.end(`${incoming.url} ${incoming.rawHeaders.filter((_, at) => at < 2)}`),
  );
  // As proxies send it, both say the same; where they do not, the target counts.
  for (const host of ['real.example', 'other', 'REAL.example']) {
    const received = await rig.exchange(
      `GET http://real.example/default/hello?q=1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(received, /\n\/\?q=1 Host,real\.example$/);
  }
});

test('hop-by-hop fields end here, forwarded fields and ids are added', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => {
    answer.setHeader('Connection', 'X-Hop');
    answer.setHeader('X-Hop', '1');
    answer.setHeader('X-Stays', '1');
    answer.end(JSON.stringify(incoming.headers));
  });
  const received = await rig.exchange(
    'GET /default/hello/ HTTP/1.1\r\nHost: h\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\n' +
      'Keep-Alive: 5\r\nTE: trailers\r\nProxy-Connection: x\r\nX-Forwarded-For: 10.0.0.1\r\n' +
      'X-Request-Id: abc\r\ntraceparent: broken\r\ntracestate: a=1\r\nCookie: a=1\r\n\r\n',
  );
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const headers: Record<string, string> = JSON.parse(body);
  assert.deepEqual(Object.keys(headers).sort(), [
    'cookie',
    'host',
    'traceparent',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-request-id',
  ]);
  assert.equal(headers['x-forwarded-for'], '127.0.0.1');
  assert.equal(headers['x-request-id'], 'abc');
  assert.match(headers.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  assert.match(head, /X-Request-Id: abc/);
  assert.match(head, /X-Stays: 1/);
  assert.doesNotMatch(head, /X-Hop|keep-alive/i);
});

test('header values beyond ASCII pass both ways octet for octet', async (t) => {
  const rig = await startRig(t);
  const value = Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i)).join('');
  let seen = '';
  const endpoint = await rig.rawInstance((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      seen = /x-in: (.*)\r/.exec(text)?.[1] ?? '';
      socket.end(`HTTP/1.1 200 OK\r\nx-out: ${value}\r\nContent-Length: 2\r\n\r\nhi`, 'latin1');
    });
  });
  rig.gateway.setEndpoints(revision, [endpoint]);
  const client = rig.client();
  client.socket.setEncoding('latin1');
  const head = 'GET /default/hello HTTP/1.1\r\nHost: x\r\nConnection: close';
  client.send(`${head}\r\nx-in: ${value}\r\n\r\n`);
  assert.equal(/x-out: (.*)\r/.exec(await client.untilEnd())?.[1], value);
  assert.equal(seen, value);
});

test('a large body streams both ways unchanged', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => incoming.pipe(answer), {
    route: { bodyBytesMax: 64 * 1024 * 1024 },
  });
  const block = Buffer.alloc(1024 * 1024);
  for (let i = 0; i < block.length; i++) block[i] = (i * 31 + (i >> 8)) & 0xff;
  const sent = createHash('sha256');
  const received = createHash('sha256');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const outgoing = request(rig.url, { method: 'POST' }, (answer) => {
    answer.on('data', (chunk: Buffer) => received.update(chunk));
    answer.on('end', resolve);
  });
  outgoing.on('error', reject);
  for (let i = 0; i < 16; i++) {
    sent.update(block);
    if (!outgoing.write(block)) await new Promise((next) => outgoing.once('drain', next));
  }
  outgoing.end();
  await promise;
  assert.equal(received.digest('hex'), sent.digest('hex'));
});

test('a client that does not read holds back the function', async (t) => {
  const blocked = gate();
  let written = 0;
  const rig = await startWarmRig(t, (_incoming, answer) => {
    const block = Buffer.alloc(256 * 1024);
    while (answer.write(block)) written += block.length;
    for (let i = 0; i < 400; i++) answer.write(block);
    answer.once('drain', () => answer.end());
    blocked.open();
  });
  const client = rig.client();
  client.socket.pause();
  client.send('GET /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await blocked.opened;
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
  // 100 MB wait in the Instance (this process too); the Gateway holds a few reads at most.
  assert.ok(process.memoryUsage().arrayBuffers - before < 20 * 1024 * 1024);
  let bytes = 0;
  client.socket.removeAllListeners('data');
  client.socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  client.socket.resume();
  await client.untilEnd();
  assert.ok(bytes > 400 * 256 * 1024 + written);
});

test('server-sent events arrive one by one', async (t) => {
  const next = gate();
  const rig = await startWarmRig(t, async (_incoming, answer) => {
    answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
    answer.write('data: 1\n\n');
    await next.opened;
    answer.end('data: 2\n\n');
  });
  const client = rig.client();
  client.send('GET /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await client.until((received) => received.includes('data: 1\n\n'));
  next.open();
  assert.match(await client.untilEnd(), /data: 2\n\n\r\n0\r\n\r\n$/);
});

test('chunks and trailers pass through', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => {
    let text = '';
    incoming.on('data', (chunk) => {
      text += chunk;
    });
    incoming.on('end', () => {
      answer.setHeader('Trailer', 'X-Sum');
      answer.write(`${text} ${incoming.trailers['x-in']}`);
      answer.addTrailers({ 'X-Sum': '7' });
      answer.end();
    });
  });
  const received = await rig.exchange(
    'POST /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n' +
      '\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-In: 1\r\n\r\n',
  );
  assert.match(received, /\r\n7\r\nabcde 1\r\n0\r\nX-Sum: 7\r\n\r\n$/);
});

test('100-continue is the decision of the function', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => incoming.pipe(answer));
  const client = rig.client();
  client.send(
    'POST /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n' +
      'Expect: 100-continue\r\n\r\n',
  );
  await client.until((received) => received === 'HTTP/1.1 100 Continue\r\n\r\n');
  client.send('body');
  assert.match(await client.untilEnd(), /HTTP\/1.1 200 OK[\s\S]*body/);
});

test('HEAD, 204 and 304 have no body, and the connection goes on', async (t) => {
  const rig = await startWarmRig(t, (incoming, answer) => {
    if (incoming.url === '/none') answer.statusCode = 204;
    if (incoming.url === '/same') answer.statusCode = 304;
    answer.setHeader('X-Path', String(incoming.url));
    if (incoming.url === '/head') answer.setHeader('Content-Length', '5');
    answer.end(incoming.url === '/head' || incoming.url === '/last' ? 'hello' : undefined);
  });
  const client = rig.client();
  client.send('HEAD /default/hello/head HTTP/1.1\r\nHost: x\r\n\r\n');
  await client.until((received) => received.endsWith('\r\n\r\n'));
  assert.match(client.received, /Content-Length: 5\r\n/);
  for (const path of ['none', 'same']) {
    client.send(`GET /default/hello/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.until((text) => text.includes(`X-Path: /${path}`) && text.endsWith('\r\n\r\n'));
  }
  client.send('GET /default/hello/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.match(await client.untilEnd(), /X-Path: \/last[\s\S]*hello$/);
});

test('a WebSocket upgrade turns into raw bytes both ways and counts as in flight', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => answer.end());
  const endpoint = await rig.instance(() => {});
  endpoint.server.on('upgrade', (incoming, socket, first: Buffer) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n` +
        `Upgrade: ${incoming.headers.upgrade}\r\n\r\n`,
    );
    socket.write(first);
    socket.on('data', (chunk: Buffer) => socket.write(chunk));
    socket.on('error', () => {});
  });
  rig.gateway.setEndpoints('default/hello-1', [endpoint]);
  const client = rig.client();
  client.send(
    'GET /default/hello/ws HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\n' +
      'Upgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\nearly',
  );
  await client.until((received) => received.endsWith('\r\n\r\nearly'));
  assert.match(client.received, /^HTTP\/1.1 101 [\s\S]*Upgrade: websocket/);
  client.send('\x00\xff frames');
  await client.until((received) => received.endsWith('\x00\xff frames'));
  assert.equal(rig.gateway.demandOf('default/hello-1').inFlight, 1);
  client.socket.end();
  await client.untilEnd();
  assert.equal(rig.gateway.demandOf('default/hello-1').inFlight, 0);
});

test('early hints pass, and a body that ends with the connection is chunked', async (t) => {
  const rig = await startWarmRig(t, () => {});
  const endpoint = await rig.rawInstance((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nab');
      setImmediate(() => socket.end('cd'));
    });
  });
  rig.gateway.setEndpoints('default/hello-1', [endpoint]);
  const client = rig.client();
  client.send('GET /default/hello/ HTTP/1.1\r\nHost: x\r\n\r\n');
  const received = await client.until((text) => text.endsWith('0\r\n\r\n'));
  assert.match(received, /^HTTP\/1.1 103 Early Hints\r\nLink: <\/a>\r\n\r\nHTTP\/1.1 200 OK\r\n/);
  assert.match(received, /\r\n4\r\nabcd\r\n0\r\n\r\n$|2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n$/);
});

test('HTTP/1.0 gets plain bytes and the end of the connection', async (t) => {
  const rig = await startWarmRig(t, (_incoming, answer) => {
    answer.write('one');
    answer.end('two');
  });
  const received = await rig.exchange('GET /default/hello/ HTTP/1.0\r\n\r\n');
  assert.match(received, /Connection: close\r\n\r\nonetwo$/);
  assert.doesNotMatch(received, /chunked/);
});

test('HTTP/1.0 does not take an answer that breaks off for a whole one', async (t) => {
  const { open, opened } = gate();
  const rig = await startWarmRig(t, (_incoming, answer) => {
    answer.write('one');
    void opened.then(() => answer.destroy());
  });
  const client = rig.client();
  const failed = once(client.socket, 'error');
  client.send('GET /default/hello/ HTTP/1.0\r\n\r\n');
  await client.until((text) => text.endsWith('one'));
  open();
  const [error] = await failed;
  assert.equal(error.code, 'ECONNRESET');
  assert.match(client.received, /\r\n\r\none$/);
});
