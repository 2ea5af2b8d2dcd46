import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import type { ReceivedRequest } from '../../src/inner/responder.ts';
import { RoutePolicies } from '../../src/policies.ts';
import { revision, startRig, startWarmRig } from '../rig.ts';

const forged = [
  'X-Fnlet-Consumer: eve',
  'x-fnlet-consumer: eve',
  'X_Fnlet_Consumer: eve',
  'X-Fnlet_Consumer: eve',
  'x_fNLET-cONSUMER: eve',
  'X-Fnlet-Auth: eve',
  'X_FNLET_AUTH: eve',
];

const fetchJson = async (): Promise<unknown> => ({});
const policies = new RoutePolicies({ clock: systemClock, logger: silentLogger, fetchJson });
const policy = policies.make('t', {
  auth: {
    methods: [
      {
        kind: 'apiKey',
        header: 'X-Api-Key',
        query: 'key',
        consumers: new Map([['ann', [createHash('sha256').update('one').digest('hex')]]]),
      },
    ],
    anonymous: false,
    forwardCredentials: false,
  },
});

const head = (path: string, lines: readonly string[]): string =>
  [`GET /default/hello${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines, '', ''].join(
    '\r\n',
  );

test('nobody can say who they are, whether a policy asks for it or not', async (t) => {
  for (const [given, expected] of [
    [undefined, ''],
    [policy, 'apiKey ann'],
  ] as const) {
    const rig = await startWarmRig(
      t,
      ({ rawHeaders, headers, url }, answer) => {
        assert.doesNotMatch(rawHeaders.join(), /eve/);
        assert.match(rawHeaders.join(), /X-Own,1/);
        if (given !== undefined) assert.doesNotMatch(rawHeaders.join() + url, /one/);
        const { 'x-fnlet-auth': by = '', 'x-fnlet-consumer': who = '' } = headers;
        answer.end(`<${`${by} ${who}`.trim()}>`);
      },
      { route: given === undefined ? {} : { policy: given } },
    );
    const own = ['X-Own: 1', 'X-Api-Key: one'];
    const answer = await rig.exchange(head('/?key=one', [...forged, ...own]));
    assert.match(answer, new RegExp(`<${expected}>$`));
  }
});

test('a key in the query is taken, and taken out', async (t) => {
  const rig = await startWarmRig(t, ({ url }, answer) => answer.end(`<${url}>`), {
    route: { policy },
  });
  assert.match(await rig.exchange(head('/a?b=1&key=one&c', [])), /<\/a\?b=1&c>$/);
  assert.match(await rig.exchange(head('/a?b=1&key=two&c', [])), /^HTTP\/1.1 401 /);
});

test('who called is still known when the call is made later, from within', async (t) => {
  const received: (readonly [string, string])[] = [];
  const later = {
    bodyBytesMax: 64,
    respond: async ({ headers }: ReceivedRequest) => {
      received.push(...headers);
      return { status: 202, headers: [], body: '' };
    },
  };
  const rig = await startRig(t, { later, route: { policy } });
  const asked = [...forged, 'X-Api-Key: one', 'Prefer: respond-async'];
  assert.match(await rig.exchange(head('/', asked)), /^HTTP\/1.1 202 /);
  assert.deepEqual(
    received.filter(([name]) => /fnlet|key/i.test(name)),
    [
      ['X-Fnlet-Auth', 'apiKey'],
      ['X-Fnlet-Consumer', 'ann'],
    ],
  );
  const instance = await rig.instance(({ headers }, answer) => {
    answer.end(`${headers['x-fnlet-auth']} ${headers['x-fnlet-consumer']}`);
  });
  rig.gateway.setEndpoints(revision, [instance]);
  const invocation = {
    namespace: 'default',
    function: 'hello',
    method: 'GET',
    target: '/',
    headers: received,
    remoteAddress: '127.0.0.1',
    body: new Uint8Array(),
    answerBytesMax: 1024,
    timeoutMs: 10_000,
  };
  const outcome = await rig.gateway.invoke(invocation, new AbortController().signal);
  assert(outcome.kind === 'answered');
  assert.equal(Buffer.from(outcome.body).toString(), 'apiKey ann');
});

test('a call that is refused is not taken for later either', async (t) => {
  const later = {
    bodyBytesMax: 64,
    respond: () => assert.fail('taken'),
  };
  const rig = await startRig(t, { later, route: { policy } });
  const answer = await rig.exchange(head('/', ['Prefer: respond-async']));
  assert.match(answer, /^HTTP\/1.1 401 /);
  const prefixed = head('/', []).replace('/default', '/async/default');
  assert.match(await rig.exchange(prefixed), /^HTTP\/1.1 401 /);
});
