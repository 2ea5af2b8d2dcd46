import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, objectAt, textAt } from './at.ts';
import { openServer } from './opened-server.ts';
import { delimited, envelope, writeMessage } from './wire-writer.ts';

const contentType = 'application/vnd.kubernetes.protobuf';
const maps = '/api/v1/namespaces/default/configmaps';
const type = { apiVersion: 'v1', kind: 'ConfigMap' };

const configMap = envelope(
  type,
  writeMessage('core.v1.ConfigMap', { metadata: { name: 'a' }, data: { k: 'v' } }),
);

test('a body in protobuf creates the object that the same body in JSON creates', async () => {
  await using server = await openServer();
  const { status, body } = await server.ask('POST', maps, { body: configMap, contentType });
  assert.equal(status, 201);
  assert.equal(at(body, '/metadata/name'), 'a');
  assert.deepEqual(at(body, '/data'), { k: 'v' });
  assert.deepEqual(Object.keys(objectAt(body, '/metadata/managedFields/0/fieldsV1')), ['f:data']);
});

test('a Pod as client-go encodes it loses the zero values that Go writes into protobuf', async () => {
  await using server = await openServer();
  const container = { name: 'a', image: 'b', workingDir: '', resources: {}, stdin: false };
  const spec = { containers: [container], hostNetwork: false, nodeName: '' };
  const raw = writeMessage('core.v1.Pod', { metadata: { name: 'p', selfLink: '' }, spec });
  const body = envelope({ apiVersion: 'v1', kind: 'Pod' }, raw);
  const path = '/api/v1/namespaces/default/pods';
  const created = await server.ask('POST', path, { body, contentType });
  assert.equal(created.status, 201);
  assert.equal(at(created.body, '/spec/hostNetwork'), undefined);
  assert.equal(at(created.body, '/spec/nodeName'), undefined);
  assert.equal(at(created.body, '/spec/containers/0/stdin'), undefined);
  assert.deepEqual(at(created.body, '/spec/containers/0/resources'), {});
});

test('delete options and a scale may come in protobuf', async () => {
  await using server = await openServer();
  await server.ask('POST', maps, { body: configMap, contentType });
  const options = writeMessage('meta.v1.DeleteOptions', { dryRun: ['All'] });
  const body = envelope({ apiVersion: 'v1', kind: 'DeleteOptions' }, options);
  assert.equal((await server.ask('DELETE', `${maps}/a`, { body, contentType })).status, 200);
  assert.equal((await server.ask('GET', `${maps}/a`)).status, 200);

  const controllers = '/api/v1/namespaces/default/replicationcontrollers';
  const labels = { app: 'c' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  await server.ask('POST', controllers, {
    body: { metadata: { name: 'c' }, spec: { replicas: 1, selector: labels, template } },
  });
  const raw = writeMessage('autoscaling.v1.Scale', {
    metadata: { name: 'c' },
    spec: { replicas: 4 },
  });
  const scaled = await server.ask('PUT', `${controllers}/c/scale`, {
    body: envelope({ apiVersion: 'autoscaling/v1', kind: 'Scale' }, raw),
    contentType,
  });
  assert.deepEqual(at(scaled.body, '/spec'), { replicas: 4 });
});

const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap)';
const noPrefix =
  'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';
const handled = 'ConfigMap in version "v1" cannot be handled as a ConfigMap';

const refused: readonly (readonly [string, Uint8Array, string])[] = [
  ['no envelope', Buffer.from('{"kind":"ConfigMap"}'), `${unrecognized}: ${noPrefix} ({"kind"`],
  ['nothing', Buffer.alloc(0), `${unrecognized}: empty data (<empty>)`],
  ['an empty envelope', Buffer.from('k8s\0'), `${unrecognized}: empty body (6b387300)`],
  ['half a message', envelope(type, Buffer.from('0a05', 'hex')), `${handled}: unexpected EOF`],
  [
    'a wrong wire type',
    envelope(type, Buffer.from('0801', 'hex')),
    `${handled}: proto: wrong wireType = 0 for field Metadata`,
  ],
  [
    'an unknown kind',
    envelope({ apiVersion: 'v1', kind: 'Nope' }, Buffer.alloc(0)),
    'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered',
  ],
  [
    'a type that is no kind',
    envelope({ apiVersion: 'v1', kind: 'ObjectMeta' }, Buffer.alloc(0)),
    'ObjectMeta in version "v1" cannot be handled as a ConfigMap: no kind "ObjectMeta"',
  ],
];

for (const [what, body, text] of refused) {
  test(`a body in protobuf is refused with 400: ${what}`, async () => {
    await using server = await openServer();
    const answer = await server.ask('POST', maps, { body, contentType });
    assert.equal(answer.status, 400);
    assert.equal(at(answer.body, '/reason'), 'BadRequest');
    const message = textAt(answer.body, '/message');
    assert.ok(message.startsWith(text), message);
  });
}

test('a body in protobuf is refused with 413 when it is too large', async () => {
  await using server = await openServer();
  const body = envelope(type, delimited(2, Buffer.alloc(3 * 1024 * 1024)));
  assert.equal((await server.ask('POST', maps, { body, contentType })).status, 413);
});

test('thirty-five thousand empty items in protobuf are read in one breath', async () => {
  await using server = await openServer();
  // tolerations (22) of a Pod's spec (2), each of them empty.
  const items = Buffer.alloc(105_000, Buffer.from([0xb2, 0x01, 0x00]));
  const body = envelope({ apiVersion: 'v1', kind: 'Pod' }, delimited(2, items));
  const path = '/api/v1/namespaces/default/pods';
  assert.equal((await server.ask('POST', path, { body, contentType })).status, 422);
});
