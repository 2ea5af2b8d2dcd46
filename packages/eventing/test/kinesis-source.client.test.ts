// Records of a server of Kinesis that was not written here, as events.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KinesisSource } from '@fnlet/api';
import { signAwsRequest } from '../src/sources/kinesis/aws-signature.ts';
import { KinesisRecords } from '../src/sources/kinesis/kinesis-records.ts';
import { httpPort } from './http-port.ts';
import { KinesisServer, lacksKinesis, signWithAws } from './kinesis-server.ts';
import { running, SourceDesk } from './source-desk.ts';
import { until } from './until.ts';

const skip = lacksKinesis;
let server: KinesisServer;

before(async () => {
  if (skip === false) server = await KinesisServer.start();
});

after(async () => {
  if (skip === false) await server[Symbol.asyncDispose]();
});

function open(desk: SourceDesk, stream: string, more: Partial<KinesisSource> = {}): KinesisRecords {
  desk.secrets = { 'aws/AWS_ACCESS_KEY_ID': 'A', 'aws/AWS_SECRET_ACCESS_KEY': 'S' };
  const endpoint = server.url;
  const spec = { stream, region: 'us-east-1', endpoint, from: 'oldest', secret: 'aws', ...more };
  return new KinesisRecords({ spec, context: desk, port: httpPort });
}

async function connected(desk: SourceDesk): Promise<void> {
  await until(() => desk.state?.connected === true, { what: 'the source to be connected' });
}

test('records come as events, and a source that starts again goes on', { skip }, async () => {
  const desk = new SourceDesk();
  await server.createStream('plain', 2);
  const first = await server.put('plain', 'ada', '{"n":1}');
  {
    await using _source = await running(open(desk, 'plain'));
    await desk.has(1);
    await server.put('plain', 'ada', 'two');
    await server.put('plain', 'grace', 'three');
    await desk.has(3);
  }
  await server.put('plain', 'ada', 'four');
  await using _again = await running(open(desk, 'plain'));
  await desk.has(4);
  assert.deepEqual([...desk.bodies].sort(), ['four', 'three', 'two', '{"n":1}']);
  assert.equal(desk.events[0]?.attributes.id, first);
  assert.equal(desk.events[0]?.attributes.partitionkey, 'ada');
});

test('newest begins with what comes from now on, also over a restart', { skip }, async () => {
  const desk = new SourceDesk();
  await server.createStream('newest', 1);
  await server.put('newest', 'k', 'before');
  // The time of a server is told to the second.
  await until(() => Date.now() % 1_000 > 900, { what: 'the end of a second' });
  await until(() => Date.now() % 1_000 < 900, { what: 'the next second' });
  {
    await using _source = await running(open(desk, 'newest', { from: 'newest' }));
    await connected(desk);
  }
  await server.put('newest', 'k', '1');
  await using _again = await running(open(desk, 'newest', { from: 'newest' }));
  await desk.has(1);
  await server.put('newest', 'k', '2');
  await desk.has(2);
  assert.deepEqual(desk.bodies, ['1', '2']);
});

test('shards that are split and merged lose nothing, and keys keep their order', {
  skip,
}, async () => {
  const desk = new SourceDesk();
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await server.createStream('reshard', 1);
  const put = async (round: number): Promise<void> => {
    for (const key of keys) await server.put('reshard', key, `${key}${round}`);
  };
  const shard = (number: number): string => `shardId-${String(number).padStart(12, '0')}`;
  await put(1);
  await server.split('reshard', shard(0));
  await put(2);
  {
    await using _source = await running(open(desk, 'reshard'));
    await desk.has(keys.length);
    await server.split('reshard', shard(1));
    await put(3);
  }
  await server.merge('reshard', shard(4), shard(2));
  await put(4);
  await using _again = await running(open(desk, 'reshard'));
  await server.merge('reshard', shard(3), shard(5));
  await put(5);
  await until(() => new Set(desk.bodies).size >= keys.length * 5, {
    what: 'all records',
    timeoutMs: 60_000,
  });
  for (const key of keys) {
    const came = new Set(desk.bodies.filter((body) => body.startsWith(key)));
    assert.deepEqual(
      [...came],
      [1, 2, 3, 4, 5].map((round) => `${key}${round}`),
    );
  }
});

test('a server that is killed ends the source, which goes on where it was', { skip }, async () => {
  const desk = new SourceDesk();
  await server.createStream('killed', 1);
  await server.put('killed', 'k', '1');
  const ended = open(desk, 'killed').run(AbortSignal.timeout(60_000));
  const rejected = assert.rejects(ended, { code: 'Unreachable' });
  await desk.has(1);
  await server.stop();
  await rejected;
  await server.start();
  await server.put('killed', 'k', '2');
  await using _again = await running(open(desk, 'killed'));
  await desk.has(2);
  assert.deepEqual(desk.bodies, ['1', '2']);
});

test('a stream that is not there is told', { skip }, async () => {
  const ended = open(new SourceDesk(), 'nowhere').run(AbortSignal.timeout(60_000));
  await assert.rejects(ended, { code: 'Unreachable', message: /ResourceNotFoundException/ });
});

test('requests are signed as by the client of AWS', { skip }, () => {
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'SECRET', sessionToken: 'TOKEN' };
  const { headers, body } = signWithAws('AKID', 'SECRET', 'TOKEN');
  const { authorization = '', host = '', 'x-amz-date': time = '' } = headers;
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const signed = names.split(';').map((name) => [name, headers[name] ?? ''] as const);
  const atMs = Date.parse(time.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'));
  const ours = signAwsRequest(
    { host, headers: Object.fromEntries(signed), body: Buffer.from(body, 'base64') },
    { credentials, scope: { region: 'eu-central-1', service: 'kinesis' } },
    atMs,
  );
  assert.equal(ours.authorization, authorization);
});
