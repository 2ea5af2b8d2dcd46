import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { channel } from './channel-source.ts';
import type { Source, SourcePorts } from './source.ts';
import { webhook } from './webhook-source.ts';

const warnings: string[] = [];
const ports: SourcePorts = {
  clock: new VirtualClock(),
  random: seededRandom(1),
  logger: { ...silentLogger, warn: (message) => warnings.push(message) },
};

function key(name: string): ObjectKey {
  return { namespace: 'default', name };
}

function listen(source: Source): { readonly names: string[]; stop(): void } {
  const names: string[] = [];
  return { names, stop: source.start(({ name }) => names.push(name), ports) };
}

test('a pushed key is told to every listener', () => {
  const source = channel();
  const [first, second] = [listen(source), listen(source)];
  assert.equal(source.push(key('a')), true);
  second.stop();
  source.push(key('b'));
  assert.deepEqual(first.names, ['a', 'b']);
  assert.deepEqual(second.names, ['a']);
});

test('while nobody listens a key waits once, and is told once', () => {
  const source = channel();
  for (const name of ['a', 'b', 'a']) assert.equal(source.push(key(name)), true);
  assert.deepEqual(listen(source).names, ['a', 'b']);
  assert.deepEqual(listen(source).names, []);
});

test('what does not fit is refused, what waits already is not', () => {
  const source = channel();
  for (let i = 0; i < 10_000; i++) source.push(key(`${i}`));
  assert.equal(source.push(key('one more')), false);
  assert.equal(source.push(key('7')), true);
  assert.equal(listen(source).names.length, 10_000);
  assert.equal(source.push(key('one more')), true);
});

function call(body: unknown): Request {
  return new Request('http://example.dev/hook', { method: 'POST', body: JSON.stringify(body) });
}

test('a webhook turns calls into keys', async () => {
  const source = webhook(async (request) => {
    const body: unknown = await request.json();
    if (body === 'stranger') return new Response(null, { status: 401 });
    assert.ok(Array.isArray(body), 'secret detail');
    return body.map((name) => key(String(name)));
  });
  const { names, stop } = listen(source);
  assert.equal((await source.handle(call(['a', 'b']))).status, 202);
  assert.deepEqual(names, ['a', 'b']);
  assert.equal((await source.handle(call('stranger'))).status, 401);
  const unreadable = await source.handle(call(7));
  assert.equal(unreadable.status, 400);
  assert.equal(await unreadable.text(), 'Cannot read the call');
  assert.match(warnings.join(), /secret detail/);
  stop();
  const full = Array.from({ length: 10_001 }, (_, i) => `${i}`);
  const refused = await source.handle(call(full));
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '5');
});
