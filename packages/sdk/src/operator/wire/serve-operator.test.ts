import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart, operatorCallRows } from '../../../test/operator-vectors-contract.ts';
import * as door from '../index.ts';
import { Namespace, type Operator, operator, Secret } from '../index.ts';
import { ContractError } from './contract.ts';
import { type OperatorCall, parseOperatorCall, timeLeftMs } from './operator-call.ts';
import { type ServeOptions, serveOperator } from './serve-operator.ts';

const after: ServeOptions['after'] = (ms, act) => {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
};
const never = new AbortController().signal;

for (const row of operatorCallRows()) {
  test(`serveOperator(): ${row.name}`, async () => {
    const serve = serveOperator(await contractOperator(), { after });
    if (row.status !== 200) {
      const refused = async (): Promise<unknown> => serve(JSON.parse(row.body), never);
      const isText = row.says === 'as JSON';
      await assert.rejects(refused, isText ? SyntaxError : { message: new RegExp(row.says) });
      return;
    }
    const answer: unknown = await serve(JSON.parse(row.body), never);
    const { rest, texts } = apart(row, answer);
    assert.deepEqual(rest, row.answer);
    for (const [pattern, text] of texts) assert.match(text, pattern);
  });
}

async function contractOperator(): Promise<Operator> {
  const file = new URL('../../../test/vectors/sites.mjs', import.meta.url).href;
  const { sites }: { readonly sites: (offered: typeof door) => Operator } = await import(file);
  return sites(door);
}

const call: OperatorCall = {
  contract: 1,
  operator: 'default/namespaces',
  what: 'reconcile',
  run: 'r',
  reason: '',
  attempt: 1,
  now: '2026-11-23T08:00:00Z',
  deadline: '2026-11-23T08:00:10Z',
  object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
  children: [],
  related: [],
  sent: { uid: 'u' },
};

test('what a function throws is told to whoever serves, as it was thrown', async () => {
  const thrown = new TypeError('cannot read properties of undefined');
  const seen: unknown[] = [];
  const failing = operator(Namespace, { reconcile: () => Promise.reject(thrown) });
  const serve = serveOperator(failing, { after, onError: (error) => seen.push(error) });
  assert.deepEqual(await serve(call, never), {
    error: { reason: 'ReconcileFailed', message: thrown.message },
  });
  assert.deepEqual(seen, [thrown]);
});

test('what is no answer is a failure, not an answer that wants nothing', async () => {
  for (const given of ['nonsense', 7, true, [{}]]) {
    const answering = operator(Namespace, { reconcile: () => JSON.parse(JSON.stringify(given)) });
    const told = JSON.stringify(await serveOperator(answering, { after })(call, never));
    assert.match(told, /ReconcileFailed.*the function answered .*expected an object or nothing/);
  }
});

test('a function is told when nobody waits any more, and holds nobody up', async () => {
  const stop = new AbortController();
  const told = Promise.withResolvers<unknown>();
  const deaf = operator(Namespace, {
    reconcile: ({ signal }) => {
      signal.addEventListener('abort', () => told.resolve(signal.reason));
      return new Promise(() => {});
    },
  });
  let isCancelled = false;
  const serve = serveOperator(deaf, {
    after: () => () => {
      isCancelled = true;
    },
  });
  const answer = serve(call, stop.signal);
  stop.abort(new Error('the client went away'));
  assert.match(JSON.stringify(await answer), /the client went away/);
  assert.equal(String(await told.promise), 'Error: the client went away');
  assert.ok(isCancelled, 'the timer of the deadline is taken back');
});

test('objects in other namespaces are found by their keys, those without one in that of the object', async () => {
  const related = ['team', 'other'].map((namespace) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace } },
  }));
  const found: unknown[] = [];
  const looking = operator(Namespace, {
    watches: [Secret.mapTo(() => undefined)],
    reconcile: ({ related }) => {
      const secrets = related(Secret);
      const keys = ['s', { name: 's', namespace: 'other' }, { name: 's', namespace: 'none' }];
      found.push(secrets.size, ...keys.map((key) => secrets.get(key)?.metadata.namespace));
      return {};
    },
  });
  const object = { ...call.object, metadata: { name: 'a', namespace: 'team' } };
  assert.deepEqual(
    await serveOperator(looking, { after })({ ...call, object, related }, never),
    {},
  );
  assert.deepEqual(found, [2, 'team', 'other', undefined]);
});

test('a kind that was required is empty when nothing was found, and no mistake', async () => {
  const looking = operator(Namespace, {
    reconcile: ({ related }) => ({
      conditions: [{ type: 'Found', status: related(Secret).size === 0 ? 'False' : 'True' }],
    }),
  });
  const serve = serveOperator(looking, { after });
  const required = [{ apiVersion: 'v1', kind: 'Secret', name: 'gone' }];
  assert.deepEqual(await serve({ ...call, required }, never), {
    conditions: [{ type: 'Found', status: 'False' }],
  });
  assert.match(JSON.stringify(await serve(call, never)), /UndeclaredKind/);
});

test('an operator without a cleanup has nothing left to do', async () => {
  const serve = serveOperator(operator(Namespace, { reconcile: () => ({}) }), { after });
  assert.deepEqual(await serve({ ...call, what: 'cleanup' }, never), { finalized: true });
});

test('parseOperatorCall() fills in what may be left out, and measures the deadline by its own clock', () => {
  const { children: _, related: __, attempt: ___, reason: ____, ...rest } = call;
  assert.deepEqual(parseOperatorCall({ ...rest, more: 1 }), call);
  assert.equal(timeLeftMs(call), 10_000);
  assert.equal(timeLeftMs({ now: call.deadline, deadline: call.now }), 0);
  for (const broken of [
    { now: 'soon' },
    { sent: {} },
    { attempt: '1' },
    { required: [{}] },
    { run: 1 },
  ]) {
    assert.throws(() => parseOperatorCall({ ...call, ...broken }), ContractError);
  }
});
