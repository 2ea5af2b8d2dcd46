/** What a route demands holds for every way into the Gateway. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { silentLogger, systemClock } from '@fnlet/base';
import { RoutePolicies } from '../../src/policies.ts';
import { type Asked, type FrontClient, fronts } from '../front-clients.ts';
import { eventually, startWarmRig } from '../rig.ts';

const policies = new RoutePolicies({
  clock: systemClock,
  logger: silentLogger,
  fetchJson: async () => ({}),
});
const digest = createHash('sha256').update('one').digest('hex');
const consumers = new Map([['ann', [digest]]]);
const policy = policies.make('t', {
  auth: {
    methods: [{ kind: 'apiKey', header: 'X-Api-Key', consumers }],
    anonymous: false,
    forwardCredentials: false,
  },
  bodyBytesMax: 4,
  compression: {},
});
const page = '<p>hello</p>\n'.repeat(500);

async function call(
  client: FrontClient,
  fields: Asked['fields'] = {},
  body = '',
): Promise<{ status: number; fields: Record<string, unknown>; body: Buffer }> {
  const asking = client.ask({ method: 'POST', path: '/default/hello?token=x', fields });
  asking.body.end(body);
  const told = await asking.told;
  return { status: told.status, fields: told.fields, body: await buffer(told.body) };
}

for (const front of fronts) {
  test(`${front.name}: credentials, sizes, compression and the log`, async (t) => {
    const entries: Record<string, unknown>[] = [];
    const accessLog = { write: (line: string) => void entries.push(JSON.parse(line)) };
    const rig = await startWarmRig(
      t,
      ({ headers }, answer) => {
        answer.setHeader('content-type', 'text/html');
        answer.end(`${headers['x-fnlet-consumer']} ${headers['x-api-key']} ${page}`);
      },
      { route: { policy }, gateway: { accessLog } },
    );
    const client = await front.open(t, rig);
    const nobody = await call(client);
    assert.equal(nobody.status, 401);
    assert.match(`${nobody.fields['www-authenticate']}`, /^ApiKey/);
    const key = { 'x-api-key': 'one', 'x-fnlet-consumer': 'eve', 'x_fnlet-consumer': 'eve' };
    const twice = await call(client, { ...key, 'x-api-key': ['one', 'two'] });
    assert.notEqual(twice.status, 200);
    assert.equal((await call(client, key, 'too much')).status, 413);
    const plain = await call(client, key);
    assert.equal(plain.body.toString(), `ann undefined ${page}`);
    const compressed = await call(client, { ...key, 'accept-encoding': 'gzip' });
    assert.equal(compressed.fields['content-encoding'], 'gzip');
    assert.equal(gunzipSync(compressed.body).toString(), `ann undefined ${page}`);
    await eventually(() => entries.length === 5);
    assert.deepEqual(
      entries.map(({ status, consumer, path }) => [status, consumer, path]),
      [
        [401, undefined, '/default/hello'],
        [twice.status, undefined, '/default/hello'],
        [413, 'ann', '/default/hello'],
        [200, 'ann', '/default/hello'],
        [200, 'ann', '/default/hello'],
      ],
    );
  });
}
