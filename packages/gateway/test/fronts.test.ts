/** What a call is to client and function must not depend on the front that it came by. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { type TestContext, test } from 'node:test';
import { type Asked, type FrontClient, fronts, type Told } from './front-clients.ts';
import { eventually, gate, type Rig, type RigOptions, revision, startRig } from './rig.ts';

interface Case {
  readonly name: string;
  readonly listener?: RequestListener;
  readonly options?: RigOptions;
  readonly run: (on: Ground) => Promise<void>;
}

interface Ground {
  readonly t: TestContext;
  readonly rig: Rig;
  readonly client: FrontClient;
  readonly scheme: string;
}

const answerNothing: RequestListener = () => {};

/** Asks with a whole body, and reads the whole answer. */
async function call(
  client: FrontClient,
  asked: Asked,
  body = '',
): Promise<{ told: Told; body: string; interim: readonly number[] }> {
  const asking = client.ask(asked);
  asking.body.end(body);
  const told = await asking.told;
  return { told, body: await text(told.body), interim: asking.interim };
}

const path = '/default/hello';

const describeRequest: RequestListener = async (incoming, answer) => {
  const { method, url, rawHeaders } = incoming;
  const body = await text(incoming);
  answer.setHeader('Set-Cookie', ['a=1', 'b=2']);
  answer.end(JSON.stringify({ method, url, rawHeaders, body, trailers: incoming.trailers }));
};

function fieldOf(rawHeaders: readonly string[], name: string): string | undefined {
  const at = rawHeaders.findIndex((given, i) => i % 2 === 0 && given.toLowerCase() === name);
  return at < 0 ? undefined : rawHeaders[at + 1];
}

const cases: readonly Case[] = [
  {
    name: 'method, path, fields and body reach the function; fields of the answer the client',
    listener: describeRequest,
    run: async ({ client, scheme }) => {
      const fields = {
        host: 'api.example.com',
        cookie: 'c=1; d=2',
        'x-twice': ['1', '2'],
        'content-length': '5',
      };
      const asked = { method: 'PUT', path: `${path}/a%20b//?q=1&q=%2F`, fields };
      const { told, body } = await call(client, asked, 'hello');
      const seen = JSON.parse(body);
      assert.deepEqual([seen.method, seen.url, seen.body], ['PUT', '/a%20b//?q=1&q=%2F', 'hello']);
      assert.equal(fieldOf(seen.rawHeaders, 'host'), 'api.example.com');
      assert.equal(fieldOf(seen.rawHeaders, 'cookie'), 'c=1; d=2');
      assert.equal(fieldOf(seen.rawHeaders, 'x-forwarded-proto'), scheme);
      assert.equal(fieldOf(seen.rawHeaders, 'x-forwarded-host'), 'api.example.com');
      assert.equal(fieldOf(seen.rawHeaders, 'x-forwarded-for'), '127.0.0.1');
      assert.equal(
        seen.rawHeaders.filter((given: string) => given.toLowerCase() === 'x-twice').length,
        2,
      );
      assert.deepEqual(told.fields['set-cookie'], ['a=1', 'b=2']);
      assert.equal(told.fields['x-request-id'], fieldOf(seen.rawHeaders, 'x-request-id'));
    },
  },
  {
    name: 'values beyond ASCII pass both ways octet for octet',
    listener: (incoming, answer) => {
      answer.setHeader('X-Out', incoming.headers['x-in'] ?? '');
      answer.end();
    },
    run: async ({ client }) => {
      const value = 'caf\xe9 \xa0\xff';
      const { told } = await call(client, { path, fields: { 'x-in': value } });
      assert.equal(told.fields['x-out'], value);
    },
  },
  {
    name: 'a conversation flows both ways, part by part',
    listener: (incoming, answer) => {
      incoming.on('data', (chunk: Buffer) => answer.write(`<${chunk}>`));
      incoming.on('end', () => answer.end('.'));
    },
    run: async ({ client }) => {
      const asking = client.ask({ method: 'POST', path });
      asking.body.write('one');
      const { body } = await asking.told;
      assert.equal(String((await once(body, 'data'))[0]), '<one>');
      asking.body.write('two');
      assert.equal(String((await once(body, 'data'))[0]), '<two>');
      asking.body.end();
      assert.equal(await text(body), '.');
    },
  },
  {
    name: 'events arrive one by one, and the end of the function’s answer is its end',
    listener: async (_incoming, answer) => {
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const id of [1, 2, 3]) {
        answer.write(`id: ${id}\n\n`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      answer.end();
    },
    run: async ({ client }) => {
      const { told, body } = await call(client, { path });
      assert.equal(told.fields['content-type'], 'text/event-stream');
      assert.equal(body, 'id: 1\n\nid: 2\n\nid: 3\n\n');
    },
  },
  {
    name: 'a large body streams both ways unchanged',
    listener: (incoming, answer) => incoming.pipe(answer),
    options: { route: { bodyBytesMax: 64 * 1024 * 1024 } },
    run: async ({ client }) => {
      const block = Buffer.from(
        Uint8Array.from({ length: 256 * 1024 }, (_, i) => i * 31 + (i >> 8)),
      );
      const sent = createHash('sha256');
      const asking = client.ask({ method: 'POST', path });
      const sending = (async () => {
        for (let i = 0; i < 32; i++) {
          sent.update(block);
          if (!asking.body.write(block)) await once(asking.body, 'drain');
        }
        asking.body.end();
      })();
      const received = createHash('sha256');
      for await (const chunk of (await asking.told).body) received.update(chunk);
      await sending;
      assert.equal(received.digest('hex'), sent.digest('hex'));
    },
  },
  {
    name: 'a body of known length arrives with it, and one of none without',
    listener: (incoming, answer) => {
      incoming.resume();
      answer.end(
        incoming.headers['content-length'] ?? incoming.headers['transfer-encoding'] ?? '-',
      );
    },
    run: async ({ client }) => {
      const sized = { method: 'POST', path, fields: { 'content-length': '3' } };
      assert.equal((await call(client, sized, 'abc')).body, '3');
      assert.equal((await call(client, { method: 'POST', path }, 'abc')).body.length > 0, true);
    },
  },
  {
    name: '100 (Continue) comes before the body is sent, and only if the function wants it',
    listener: (incoming, answer) => incoming.pipe(answer),
    run: async ({ client }) => {
      const fields = { expect: '100-continue', 'content-length': '4' };
      const asking = client.ask({ method: 'POST', path, fields });
      await eventually(() => {
        flush(asking.body);
        return asking.interim.includes(100);
      });
      asking.body.end('body');
      assert.equal(await text((await asking.told).body), 'body');
    },
  },
  {
    name: '103 (Early Hints) passes',
    listener: (_incoming, answer) => {
      answer.writeEarlyHints({ link: '</a.css>; rel=preload' });
      answer.end('done');
    },
    run: async ({ client }) => {
      const { interim, body } = await call(client, { path });
      assert.deepEqual([interim, body], [[103], 'done']);
    },
  },
  {
    name: 'trailers pass both ways',
    listener: async (incoming, answer) => {
      answer.writeHead(200, { Trailer: 'x-sum' });
      answer.write(await text(incoming));
      answer.addTrailers({ 'x-sum': String(incoming.trailers['x-part'] ?? 'none') });
      answer.end();
    },
    run: async ({ client }) => {
      const asked = { method: 'POST', path, fields: { te: 'trailers' } };
      const { told, body } = await call(client, asked, 'text');
      assert.equal(body, 'text');
      assert.equal(told.trailers()['x-sum'], 'none');
    },
  },
  {
    name: 'HEAD, 204 and 304 have no body, and the connection goes on',
    listener: (incoming, answer) => {
      const status = Number(incoming.url?.slice(1));
      answer.writeHead(status, status === 200 ? { 'Content-Length': '5' } : {});
      answer.end(status === 200 ? 'hello' : undefined);
    },
    run: async ({ client }) => {
      const head = await call(client, { method: 'HEAD', path: `${path}/200` });
      assert.deepEqual([head.told.fields['content-length'], head.body], ['5', '']);
      for (const status of [204, 304]) {
        const { told, body } = await call(client, { path: `${path}/${status}` });
        assert.deepEqual([told.status, body], [status, '']);
      }
      assert.equal((await call(client, { path: `${path}/200` })).body, 'hello');
      assert.equal(client.connections, 1);
    },
  },
  {
    name: 'an answer before the end of the request is read by the client',
    listener: (_incoming, answer) => {
      answer.writeHead(401);
      answer.end('who are you?');
    },
    run: async ({ client }) => {
      const asking = client.ask({ method: 'POST', path });
      asking.body.write('a first part');
      const told = await asking.told;
      assert.deepEqual([told.status, await text(told.body)], [401, 'who are you?']);
    },
  },
  {
    name: 'what the Gateway answers itself',
    options: { route: { bodyBytesMax: 10 } },
    run: async ({ client, rig }) => {
      const lost = await call(client, {
        path: '/no/where',
        fields: { accept: 'application/json' },
      });
      assert.equal(lost.told.status, 404);
      assert.equal(JSON.parse(lost.body).code, 'RouteNotFound');
      const large = { method: 'POST', path, fields: { 'content-length': '19' } };
      assert.equal((await call(client, large, 'more than ten bytes')).told.status, 413);
      const expecting = { method: 'POST', path, fields: { expect: 'gold' } };
      assert.equal((await call(client, expecting)).told.status, 417);
      rig.gateway.removeRoute('default', 'hello');
      assert.equal((await call(client, { path })).told.status, 404);
    },
  },
  {
    name: 'a header that is too large is refused',
    run: async ({ client }) => {
      const fields = { 'x-large': 'a'.repeat(40_000) };
      assert.equal((await call(client, { path, fields })).told.status, 431);
      const target = `${path}/${'a'.repeat(9_000)}`;
      assert.equal((await call(client, { path: target })).told.status, 414);
    },
  },
  {
    name: 'calls wait while the function sleeps, together',
    run: async ({ client, rig }) => {
      const asked = [1, 2, 3].map((count) => call(client, { path: `${path}/${count}` }));
      await eventually(() => rig.gateway.demandOf(revision).queued === 3);
      const endpoint = await rig.instance((incoming, answer) => answer.end(incoming.url));
      rig.gateway.setEndpoints(revision, [endpoint]);
      const bodies = (await Promise.all(asked)).map(({ body }) => body);
      assert.deepEqual(bodies, ['/1', '/2', '/3']);
    },
  },
  {
    name: 'a client that leaves while its call waits takes it along',
    run: async ({ client, rig }) => {
      const asking = client.ask({ path });
      asking.body.end();
      await eventually(() => rig.gateway.demandOf(revision).queued === 1);
      asking.reset();
      await eventually(() => rig.gateway.demandOf(revision).queued === 0);
    },
  },
  {
    name: 'a client that leaves cancels its call: before the answer, within it, within its request',
    run: async ({ client, rig }) => {
      const phases: Record<string, (incoming: IncomingMessage, answer: ServerResponse) => void> = {
        '/before': answerNothing,
        '/within': (_incoming, answer) => answer.write('begun'),
        '/sending': (incoming) => incoming.resume(),
      };
      let begun = 0;
      let cancelled = 0;
      const endpoint = await rig.instance((incoming, answer) => {
        begun++;
        incoming.on('error', () => {});
        answer.on('close', () => cancelled++);
        phases[incoming.url ?? '']?.(incoming, answer);
      });
      rig.gateway.setEndpoints(revision, [endpoint]);
      for (const [index, phase] of Object.keys(phases).entries()) {
        const asking = client.ask({ method: 'POST', path: path + phase });
        if (phase === '/sending') asking.body.write('a part');
        else asking.body.end();
        await eventually(() => begun === index + 1);
        assert.equal(rig.gateway.demandOf(revision).inFlight, 1);
        if (phase === '/within') await once((await asking.told).body, 'data');
        asking.reset();
        await eventually(() => cancelled === index + 1);
        assert.equal(rig.gateway.demandOf(revision).inFlight, 0);
      }
    },
  },
  {
    name: 'an answer that breaks off is never taken for a whole one',
    listener: (_incoming, answer) => {
      answer.writeHead(200);
      answer.write('half of it', () => answer.destroy());
    },
    run: async ({ client }) => {
      const asking = client.ask({ path });
      asking.body.end();
      const { body } = await asking.told;
      let heard = '';
      body.on('data', (chunk) => {
        heard += chunk;
      });
      await assert.rejects(finished(body));
      assert.equal(heard, 'half of it');
    },
  },
  {
    name: 'a client that does not read holds back the function',
    run: async ({ client, rig }) => {
      let written = 0;
      const endpoint = await rig.instance((_incoming, answer) => {
        const block = Buffer.alloc(64 * 1024);
        const write = (): void => {
          if (written >= 24e6) {
            answer.end();
            return;
          }
          written += block.length;
          if (answer.write(block)) setImmediate(write);
          else answer.once('drain', write);
        };
        write();
      });
      rig.gateway.setEndpoints(revision, [endpoint]);
      const asking = client.ask({ path });
      asking.body.end();
      const { body } = await asking.told;
      const settled = await untilSteady(() => written);
      assert.ok(settled < 16e6, `${settled} bytes were taken from the function`);
      let read = 0;
      for await (const chunk of body) read += chunk.length;
      assert.ok(read >= 24e6);
    },
  },
  {
    name: 'a function that does not read holds back the client',
    options: { route: { bodyBytesMax: 1e9 } },
    run: async ({ client, rig }) => {
      const goOn = gate();
      const endpoint = await rig.instance(async (incoming, answer) => {
        await goOn.opened;
        let read = 0;
        for await (const chunk of incoming) read += chunk.length;
        answer.end(String(read));
      });
      rig.gateway.setEndpoints(revision, [endpoint]);
      const asking = client.ask({ method: 'POST', path });
      const block = Buffer.alloc(64 * 1024);
      let sent = 0;
      const sending = (async () => {
        while (sent < 24e6) {
          if (!asking.body.write(block)) await once(asking.body, 'drain');
          sent += block.length;
        }
        asking.body.end();
      })();
      const settled = await untilSteady(() => sent);
      assert.ok(settled < 16e6, `${settled} bytes were taken from the client`);
      goOn.open();
      await sending;
      assert.equal(await text((await asking.told).body), String(sent));
    },
  },
  {
    name: 'a WebSocket turns into bytes both ways, counts as in flight, and ends from either side',
    run: async ({ client, rig }) => {
      const endpoint = await rig.instance(answerNothing);
      endpoint.server.on('upgrade', (incoming, socket) => {
        socket.on('error', () => {});
        const accepted = `Connection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\n`;
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${accepted}\r\nwelcome`);
        socket.on('data', (chunk: Buffer) => {
          if (String(chunk) === 'leave') socket.end('bye');
          else socket.write(chunk);
        });
      });
      rig.gateway.setEndpoints(revision, [endpoint]);
      const first = await client.tunnel(`${path}/socket`);
      let heard = '';
      first.on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1');
      });
      first.write(Buffer.from([0, 255, 10]));
      await eventually(() => heard === 'welcome\x00\xff\n');
      assert.equal(rig.gateway.demandOf(revision).inFlight, 1);
      first.end();
      await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
      const second = await client.tunnel(`${path}/socket`);
      second.write('leave');
      assert.match(await text(second), /bye$/);
      second.destroy();
      await eventually(() => rig.gateway.demandOf(revision).inFlight === 0);
    },
  },
  {
    name: 'close() lets the call in flight finish',
    run: async ({ client, rig }) => {
      const goOn = gate();
      const endpoint = await rig.instance(async (_incoming, answer) => {
        answer.write('begun ');
        await goOn.opened;
        answer.end('and done');
      });
      rig.gateway.setEndpoints(revision, [endpoint]);
      const asking = client.ask({ path });
      asking.body.end();
      const { body } = await asking.told;
      const closed = rig.gateway.close({ graceMs: 30_000 });
      goOn.open();
      assert.equal(await text(body), 'begun and done');
      await closed;
    },
  },
];

/** Sends the head of a request whose body waits. */
function flush(body: object): void {
  if ('flushHeaders' in body && typeof body.flushHeaders === 'function') body.flushHeaders();
}

/** Waits until a count no longer changes, and returns it. */
async function untilSteady(count: () => number): Promise<number> {
  let last = -1;
  for (let quiet = 0; quiet < 300; ) {
    await new Promise((resolve) => setImmediate(resolve));
    quiet = count() === last ? quiet + 1 : 0;
    last = count();
  }
  return last;
}

for (const front of fronts) {
  for (const { name, listener, options, run } of cases) {
    test(`${front.name}: ${name}`, async (t) => {
      const rig = await startRig(t, options);
      if (listener !== undefined) {
        rig.gateway.setEndpoints(revision, [await rig.instance(listener)]);
      }
      const client = await front.open(t, rig);
      await run({ t, rig, client, scheme: front.scheme });
    });
  }
}
