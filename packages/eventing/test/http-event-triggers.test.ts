// Triggers that take requests as events, in a whole API, on the test's clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import { triggerLimits } from '../src/triggers/limits.ts';
import { namespace, World } from './world.ts';

const target = { function: 'hello' };
const event = { 'ce-specversion': '1.0', 'ce-source': '/s', 'ce-type': 't' };

function events(more: object = {}, spec: object = {}): object {
  return { source: { http: { paths: [{ exact: '/in' }], events: {}, ...more } }, target, ...spec };
}

/** Sends a request to the route of a Trigger, as the Gateway does. */
async function send(
  { routes, cluster }: World,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<ResponderAnswer> {
  const route = routes.get(`${namespace}/${name}`);
  assert.ok(route !== undefined && 'responder' in route.target);
  const request: ReceivedRequest = {
    ...{ call: undefined, method: 'POST', target: '/in', remoteAddress: '127.0.0.1' },
    ...{ headers: Object.entries(headers), body: Buffer.from('x') },
  };
  const answer = route.target.responder.respond(request, new AbortController().signal);
  await cluster.settle();
  return answer;
}

/** The ids of the events that the Function was called with. */
function ids({ calls }: World): readonly (string | undefined)[] {
  return calls.map(({ headers }) => new Map(headers).get('ce-id'));
}

test('requests are answered 202 and delivered to the target', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('hook', events());
  const answer = await send(world, 'hook', { ...event, 'ce-id': '1' });
  assert.equal(answer.status, 202);
  await world.pass(100);
  assert.deepEqual(ids(world), ['1']);
  const status = await world.status('hook');
  assert.equal(status.type, 'http');
  assert.equal(status.url, 'http://127.0.0.1:8080/in');
  assert.equal((await world.ready('hook'))?.status, 'True');
});

test('what was answered 202 survives a restart and a Function that is not there', async () => {
  await using world = await World.start();
  await world.applySpec('hook', events());
  assert.equal((await world.ready('hook'))?.reason, 'FunctionNotFound');
  assert.equal((await send(world, 'hook', { ...event, 'ce-id': '1' })).status, 202);
  await world.restart();
  await world.listen();
  assert.equal((await send(world, 'hook', { ...event, 'ce-id': '2' })).status, 202);
  assert.equal((await send(world, 'hook', { ...event, 'ce-id': '1' })).status, 202);
  await world.createFunction('hello');
  await world.pass(6_000);
  assert.deepEqual(ids(world), ['1', '2']);
});

test('filters decide what is delivered; senders are told 202 all the same', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('hook', events({}, { filters: [{ exact: { id: '2' } }] }));
  for (const id of ['1', '2']) {
    assert.equal((await send(world, 'hook', { ...event, 'ce-id': id })).status, 202);
  }
  await world.pass(100);
  assert.deepEqual(ids(world), ['2']);
});

test('a Trigger that is paused takes events and keeps them', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('hook', events({}, { paused: true }));
  assert.equal((await send(world, 'hook', { ...event, 'ce-id': '1' })).status, 202);
  await world.pass(10_000);
  assert.deepEqual(ids(world), []);
  await world.applySpec('hook', events());
  await world.pass(100);
  assert.deepEqual(ids(world), ['1']);
});

test('a signature is judged by a Secret, which may come and change', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const secret = { name: 'hooks', key: 'token' };
  const signature = { scheme: 'gitlab', secret };
  await world.applySpec('hook', events({ events: { format: 'webhook', signature } }));
  const ask = async (token: string): Promise<number> => {
    const answer = await send(world, 'hook', { 'x-gitlab-token': token });
    await world.pass(6_000);
    return answer.status;
  };
  assert.equal(await ask('one'), 503);
  await world.setSecret('hooks', { token: 'one' });
  assert.equal(await ask('one'), 202);
  assert.equal(await ask('two'), 401);
  await world.setSecret('hooks', { token: 'two' });
  assert.equal(await ask('two'), 202);
});

test('a route that an older Trigger has is told as what keeps the source from bringing events', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('older', events());
  await world.pass(1_000);
  await world.applySpec('younger', events());
  await world.pass(6_000);
  const ready = await world.ready('younger');
  assert.equal(ready?.reason, 'SourceFailed');
  assert.match(ready?.message ?? '', /belongs to the older Trigger default\/older/);
  await world.delete('older');
  await world.pass(6_000);
  assert.equal((await world.ready('younger'))?.status, 'True');
  assert.equal((await send(world, 'younger', { ...event, 'ce-id': '1' })).status, 202);
});

test('what makes no sense is refused when it is written', async () => {
  await using world = await World.start();
  const refused = (more: object, spec: object = {}): Promise<void> =>
    world.applySpec('hook', events(more, spec));
  const hmac = { scheme: 'hmac', secret: { name: 'a', key: 'b' } };
  await assert.rejects(refused({ events: { signature: hmac } }), /hmac needs header/);
  const github = { ...hmac, scheme: 'github', prefix: 'x' };
  await assert.rejects(refused({ events: { signature: github } }), /go with hmac/);
  const stale = { ...hmac, header: 'X-S', tolerance: '1m' };
  await assert.rejects(refused({ events: { signature: stale } }), /tolerance goes with stripe/);
  await assert.rejects(refused({ events: { webhook: { type: 'a' } } }), /webhook goes with/);
  const filters = [{ exact: { id: '1' }, prefix: { id: '1' } }];
  await assert.rejects(refused({}, { filters }), /give exactly one of exact, prefix/);
  const plain = { source: { http: {} }, target, filters: [{ exact: { id: '1' } }] };
  await assert.rejects(world.applySpec('hook', plain), /only where http.events is given/);
});

test('a filter that cannot be meant is told in the status', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.applySpec('hook', events({}, { filters: [{ cesql: 'type LIKE 5' }] }));
  const ready = await world.ready('hook');
  assert.equal(ready?.reason, 'InvalidSpec');
  assert.match(ready?.message ?? '', /filters\[0\].cesql: .*expected a text in quotes/);
});

test('statuses that only show other numbers take turns; none is forgotten', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  const names = Array.from({ length: 40 }, (_, n) => `hook-${n}`);
  for (const name of names) {
    await world.applySpec(name, events({ paths: [{ exact: `/${name}` }] }, { paused: true }));
  }
  await world.pass(20_000);
  const written = (): number =>
    world.cluster.writes.entries.filter(({ subresource }) => subresource === 'status').length;
  const before = written();
  for (const name of names) await send(world, name, { ...event, 'ce-id': name });
  await world.pass(1_000);
  const { numbersPerSecond, numbersBurst } = triggerLimits;
  const most = numbersBurst + numbersPerSecond * 2;
  assert.ok(written() - before <= most, `${written() - before} writes, not more than ${most}`);
  await world.pass(10_000);
  for (const name of names) assert.equal((await world.status(name)).lag, 1, name);
});
