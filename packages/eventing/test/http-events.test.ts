import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { HttpEvents } from '@fnlet/api';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import { openMemoryLog } from '@fnlet/store/log';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import { formatBatch, formatBinary } from '../src/event/http-event.ts';
import { EventEndpoints } from '../src/sources/http/event-endpoints.ts';
import { HttpEventSource } from '../src/sources/http/http-event-source.ts';
import type { SourceContext, SourceState } from '../src/sources/source.ts';

const id = 'shop/hook';
const cloudEvent: CloudEvent = {
  attributes: { specversion: '1.0', id: '1', source: '/s', type: 't' },
  data: Buffer.from('x'),
};

/** A source that runs, and what it brought. */
class Hook implements AsyncDisposable {
  readonly clock = new VirtualClock(0);
  readonly endpoints = new EventEndpoints(this.clock);
  readonly accepted: CloudEvent[] = [];
  readonly states: SourceState[] = [];
  secret: string | undefined = 'a secret';
  accept = async (events: readonly CloudEvent[]): Promise<void> => {
    this.accepted.push(...events);
  };
  readonly #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  start(spec: Partial<HttpEvents>): void {
    const context: SourceContext = {
      ...{ namespace: 'shop', name: 'hook', uid: '7', clock: this.clock },
      ...{ random: seededRandom(1), logger: silentLogger },
      accept: (events) => this.accept(events),
      checkpoint: { load: async () => undefined, save: async () => {} },
      stream: (options) => openMemoryLog().stream('source', options),
      undelivered: async () => 0,
      tell: () => {},
      report: (state) => this.states.push(state),
      secret: async (name, key) => (`${name}/${key}` === 'hooks/token' ? this.secret : undefined),
    };
    const { endpoints } = this;
    const source = new HttpEventSource({
      ...{ spec: { format: 'cloudevents', ...spec }, context, endpoints },
    });
    this.#running = source.run(this.#abort.signal);
  }

  send(
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array = '',
    method = 'POST',
  ): Promise<ResponderAnswer> {
    const request: ReceivedRequest = {
      ...{ call: undefined, method, target: '/hook', remoteAddress: '127.0.0.1' },
      ...{ headers: Object.entries(headers), body: Buffer.from(body) },
    };
    return this.endpoints.responder(id).respond(request, new AbortController().signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }
}

function started(spec: Partial<HttpEvents> = {}): Hook {
  const hook = new Hook();
  hook.start(spec);
  return hook;
}

const secret = { name: 'hooks', key: 'token' };
const json = { 'content-type': 'application/json' };

test('CloudEvents are taken in all modes; anything else is 415', async () => {
  await using hook = started();
  const binary = formatBinary(cloudEvent);
  assert.equal((await hook.send(binary.headers, binary.body)).status, 202);
  const batch = formatBatch([cloudEvent, cloudEvent]);
  const answer = await hook.send(batch.headers, batch.body);
  assert.equal(answer.body, '{"ids":["1","1"]}\n');
  assert.equal(hook.accepted.length, 3);
  assert.equal((await hook.send(json, '{}')).status, 415);
  assert.equal((await hook.send({ ...binary.headers, 'ce-id': '' })).status, 400);
  assert.equal((await hook.send({}, '', 'PUT')).status, 405);
  assert.equal((await hook.send({}, '', 'OPTIONS')).status, 200);
  assert.equal(hook.accepted.length, 3);
});

test('a plain request becomes an event with its body as it came', async () => {
  const webhook = { type: 'shop.order', typeFrom: 'X-Kind', source: '/till', idFrom: 'X-Id' };
  await using hook = started({ format: 'webhook', webhook });
  const headers = { ...json, 'x-kind': 'Paid Late', 'X-ID': '77' };
  assert.equal((await hook.send(headers, '{ "a": 1.0 }')).status, 202);
  const [event] = hook.accepted;
  assert.deepEqual(event?.attributes, {
    ...{ specversion: '1.0', id: '77', source: '/till', type: 'shop.order.paid-late' },
    ...{ time: '1970-01-01T00:00:00.000000Z', datacontenttype: 'application/json' },
  });
  assert.equal(Buffer.from(event?.data ?? []).toString(), '{ "a": 1.0 }');
});

test('a plain request that says nothing has an id of its own and the Trigger as source', async () => {
  await using hook = started({ format: 'any' });
  await hook.send({ 'content-type': 'no type' });
  await hook.send({});
  const [first, second] = hook.accepted;
  assert.notEqual(first?.attributes.id, second?.attributes.id);
  assert.equal(first?.attributes.type, 'dev.fnlet.webhook');
  assert.equal(first?.attributes.source, '/apis/fnlet.dev/v1alpha1/namespaces/shop/triggers/hook');
  assert.equal(first?.attributes.datacontenttype, undefined);
  assert.equal(first?.data, undefined);
});

test('with the format any, CloudEvents are taken as what they are', async () => {
  await using hook = started({ format: 'any' });
  const { headers, body } = formatBinary(cloudEvent);
  await hook.send(headers, body);
  assert.equal(hook.accepted[0]?.attributes.id, '1');
});

test('what GitHub sends is believed by its signature only, and named after what it says', async () => {
  await using hook = started({ format: 'any', signature: { scheme: 'github', secret } });
  const body = '{"ref":"main"}';
  const signature = createHmac('sha256', 'a secret').update(body).digest('hex');
  const headers = {
    ...{ ...json, 'x-github-event': 'push', 'x-github-delivery': 'd-1' },
    'x-hub-signature-256': `sha256=${signature}`,
  };
  assert.equal((await hook.send(headers, body)).status, 202);
  const { type, id: delivered } = hook.accepted[0]?.attributes ?? {};
  assert.deepEqual([type, delivered], ['com.github.push', 'd-1']);
  assert.equal((await hook.send(headers, `${body} `)).status, 401);
  const { headers: ce } = formatBinary(cloudEvent);
  assert.equal((await hook.send(ce, 'x')).status, 401);
  assert.equal(hook.accepted.length, 1);
});

test('Stripe and Slack say in the body what it is about, and Slack is told its challenge', async () => {
  await using stripe = started({ format: 'webhook', signature: { scheme: 'stripe', secret } });
  const paid = '{"id":"evt_1","type":"charge.paid"}';
  const made = createHmac('sha256', 'a secret').update(`0.${paid}`).digest('hex');
  assert.equal((await stripe.send({ 'stripe-signature': `t=0,v1=${made}` }, paid)).status, 202);
  const { type, id: event } = stripe.accepted[0]?.attributes ?? {};
  assert.deepEqual([type, event], ['com.stripe.charge.paid', 'evt_1']);
  await stripe.clock.advance(300_001);
  assert.equal((await stripe.send({ 'stripe-signature': `t=0,v1=${made}` }, paid)).status, 401);
  await using slack = started({ format: 'webhook', signature: { scheme: 'slack', secret } });
  const asked = '{"type":"url_verification","challenge":"3eZ"}';
  const signed = createHmac('sha256', 'a secret').update(`v0:0:${asked}`).digest('hex');
  const headers = { 'x-slack-request-timestamp': '0', 'x-slack-signature': `v0=${signed}` };
  assert.equal((await slack.send(headers, asked)).body, '3eZ');
  assert.equal(slack.accepted.length, 0);
});

test('without the secret nobody gets in, and once it is there they do', async () => {
  await using hook = started({ format: 'webhook', signature: { scheme: 'gitlab', secret } });
  hook.secret = undefined;
  const headers = { 'x-gitlab-token': 'a secret' };
  const answer = await hook.send(headers);
  assert.equal(answer.status, 503);
  assert.equal(Object.fromEntries(answer.headers)['Retry-After'], '5');
  hook.secret = 'a secret';
  await hook.clock.advance(5_001);
  assert.equal((await hook.send(headers)).status, 202);
  hook.secret = 'another';
  await hook.clock.advance(5_001);
  assert.equal((await hook.send(headers)).status, 401);
});

test('of several secrets each is believed, so that one can be replaced', async () => {
  await using hook = started({ format: 'webhook', signature: { scheme: 'gitlab', secret } });
  hook.secret = 'old\r\nnew\n';
  const statusOf = async (token: string): Promise<number> =>
    (await hook.send({ 'x-gitlab-token': token })).status;
  assert.deepEqual(
    [await statusOf('old'), await statusOf('new'), await statusOf('none'), await statusOf('')],
    [202, 202, 401, 401],
  );
  hook.secret = 'new\n';
  await hook.clock.advance(5_000);
  assert.deepEqual([await statusOf('old'), await statusOf('new')], [401, 202]);
});

test('a secret that is missing is told until it is there, and again when it is gone', async () => {
  await using hook = new Hook();
  hook.secret = undefined;
  hook.start({ format: 'webhook', signature: { scheme: 'gitlab', secret } });
  await hook.clock.advance(0);
  assert.match(hook.states.at(-1)?.trouble ?? '', /Secret "hooks" has no "token".* answered 503/);
  hook.secret = 'a secret';
  await hook.clock.advance(5_000);
  assert.deepEqual(hook.states.at(-1), { connected: true });
  assert.equal(hook.clock.nextDueMs, undefined, 'nothing is looked for');
  hook.secret = '';
  await hook.clock.advance(5_001);
  assert.equal((await hook.send({ 'x-gitlab-token': 'a secret' })).status, 503);
  await hook.clock.advance(0);
  assert.equal(hook.states.at(-1)?.connected, false);
});

test('a body that is compressed is no event, in any form', async () => {
  await using hook = started({ format: 'any' });
  const { headers, body } = formatBinary(cloudEvent);
  assert.equal((await hook.send({ ...headers, 'content-encoding': 'gzip' }, body)).status, 415);
  assert.equal((await hook.send({ 'content-encoding': 'br' }, body)).status, 415);
  assert.equal((await hook.send({ 'content-encoding': 'Identity' }, body)).status, 202);
});

test('202 is answered only when events are kept; who waits too long is told so', async () => {
  await using hook = started({ format: 'webhook' });
  const kept = Promise.withResolvers<void>();
  hook.accept = () => kept.promise;
  let answered = false;
  const first = hook.send({}).finally(() => {
    answered = true;
  });
  await hook.clock.advance(4_999);
  assert.equal(answered, false);
  kept.resolve();
  assert.equal((await first).status, 202);
  hook.accept = () => new Promise(() => {});
  const second = hook.send({});
  await hook.clock.advance(5_001);
  assert.equal((await second).status, 503);
  hook.accept = () => Promise.reject(new Error('a bug'));
  await assert.rejects(hook.send({}), /a bug/);
});

test('an event that is too large is refused, and nothing of its batch is taken', async () => {
  await using hook = started();
  const large = { ...cloudEvent, data: Buffer.alloc(1_000_000) };
  const { headers, body } = formatBatch([cloudEvent, large]);
  assert.equal((await hook.send(headers, body)).status, 413);
  assert.deepEqual(hook.accepted, []);
});

test('who comes before the source runs waits for it, for a while', async () => {
  await using hook = new Hook();
  const { headers, body } = formatBinary(cloudEvent);
  const early = hook.send(headers, body);
  await hook.clock.advance(1_000);
  hook.start({});
  assert.equal((await early).status, 202);
  const other = new Hook();
  const never = other.send(headers, body);
  await other.clock.advance(5_001);
  assert.equal((await never).status, 503);
});

test('what is wrong with the route is told as the state of the source', async () => {
  await using hook = started();
  hook.endpoints.tell(id, 'taken');
  hook.endpoints.tell(id, 'taken');
  hook.endpoints.tell(id, undefined);
  assert.deepEqual(hook.states, [
    { connected: true },
    { connected: false, trouble: 'taken' },
    { connected: true },
  ]);
});
