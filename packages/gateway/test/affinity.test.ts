/** Calls that belong together, and which Instance they go to. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Endpoint, Route } from '../src/index.ts';
import { eventually, type Rig, revision, startRig } from './rig.ts';

interface Herd {
  readonly rig: Rig;
  readonly endpoints: readonly Endpoint[];
  /** What one call is answered, and the cookie that it was given. */
  call(fields?: string): Promise<{ readonly name: string; readonly cookie: string | undefined }>;
}

/** Five Instances that answer with their names; one that is asked for `/own` sets a cookie. */
async function startHerd(t: TestContext, route: Partial<Route>): Promise<Herd> {
  const rig = await startRig(t, { route });
  const endpoints: Endpoint[] = [];
  for (let i = 0; i < 5; i++) {
    const name = `<${i}>`;
    endpoints.push(
      await rig.instance((incoming, answer) => {
        if (incoming.headers['x-own'] !== undefined) answer.setHeader('Set-Cookie', 'sid=own');
        answer.end(name);
      }),
    );
  }
  rig.gateway.setEndpoints(revision, endpoints);
  const call: Herd['call'] = async (fields = '') => {
    const received = await rig.exchange(
      `GET /default/hello/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`,
    );
    const cookies = [...received.matchAll(/^Set-Cookie: (.*)\r$/gim)].map((match) => match[1]);
    assert.ok(cookies.length < 2, received);
    return { name: /<\d>/.exec(received)?.[0] ?? received, cookie: cookies[0] };
  };
  return { rig, endpoints, call };
}

const byHeader: Partial<Route> = { affinity: { by: 'header', name: 'x-room' } };
const byCookie: Partial<Route> = { affinity: { by: 'cookie', name: 'sid' } };

test('calls with the same header share an Instance, others are spread', async (t) => {
  const { call } = await startHerd(t, byHeader);
  const rooms = new Set<string>();
  for (let room = 0; room < 20; room++) {
    const { name, cookie } = await call(`X-Room: ${room}\r\n`);
    assert.equal(cookie, undefined);
    for (let i = 0; i < 3; i++) assert.equal((await call(`x-room: ${room}\r\n`)).name, name);
    rooms.add(name);
  }
  assert.equal(rooms.size, 5);
  const free = new Set<string>();
  for (let i = 0; i < 60; i++) free.add((await call()).name);
  assert.equal(free.size, 5);
});

test('a caller without the cookie is given one, and comes back to the same Instance', async (t) => {
  const { call } = await startHerd(t, byCookie);
  const places = new Set<string>();
  for (let caller = 0; caller < 20; caller++) {
    const { name, cookie } = await call();
    assert.match(cookie ?? '', /^sid=[0-9a-f]{8}; Path=\/; HttpOnly; SameSite=Lax$/);
    const own = cookie?.split(';', 1)[0];
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await call(`Cookie: a=b; ${own}\r\n`), { name, cookie: undefined });
    }
    places.add(name);
  }
  assert.ok(places.size > 3);
});

test('a cookie that the function sets itself is left alone', async (t) => {
  const { call } = await startHerd(t, byCookie);
  assert.equal((await call('X-Own: 1\r\n')).cookie, 'sid=own');
});

test('calls move when their Instance goes, and only those', async (t) => {
  const { rig, endpoints, call } = await startHerd(t, byHeader);
  const before = new Map<number, string>();
  for (let room = 0; room < 20; room++) {
    before.set(room, (await call(`X-Room: ${room}\r\n`)).name);
  }
  rig.gateway.setEndpoints(revision, endpoints.slice(1));
  for (const [room, name] of before) {
    const after = (await call(`X-Room: ${room}\r\n`)).name;
    if (name === '<0>') assert.notEqual(after, '<0>');
    else assert.equal(after, name);
  }
});

test('a call whose Instance is full goes elsewhere, and one that waited goes to its own', async (t) => {
  const rig = await startRig(t, { route: { ...byHeader, concurrencyLimit: 1 } });
  const waiting: (() => void)[] = [];
  const endpoints = await Promise.all(
    ['<0>', '<1>'].map((name) =>
      rig.instance((_incoming, answer) => waiting.push(() => answer.end(name))),
    ),
  );
  rig.gateway.setEndpoints(revision, endpoints);
  const clients = [0, 1, 2].map(() => rig.client());
  for (const [index, client] of clients.entries()) {
    client.send('GET /default/hello/ HTTP/1.1\r\nHost: x\r\nX-Room: 7\r\n\r\n');
    await eventually(() => waiting.length + rig.gateway.demandOf(revision).queued === index + 1);
  }
  assert.equal(rig.gateway.demandOf(revision).queued, 1);
  for (let i = 0; i < 3; i++) {
    await eventually(() => waiting.length > i);
    waiting[i]?.();
  }
  const names = await Promise.all(
    clients.map(
      async (client) => /<\d>/.exec(await client.until((text) => /<\d>/.test(text)))?.[0],
    ),
  );
  assert.notEqual(names[0], names[1]);
  assert.equal(names[2], names[0]);
});
