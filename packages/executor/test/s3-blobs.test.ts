import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom, VirtualClock } from '@fnlet/base';
import type { BlobStore } from '../src/bucket/blob-store.ts';
import { openBlobs } from '../src/bucket/open-blobs.ts';
import { type OpenedBlobs, testBlobContract } from './blob-contract.ts';
import { BucketServer } from './bucket-server.ts';

const credentials = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'a secret' };
const { signal } = new AbortController();

async function openIn(
  locationOf: (server: BucketServer) => string,
  environmentOf: (server: BucketServer) => Record<string, string> = () => ({}),
): Promise<OpenedBlobs> {
  const server = await BucketServer.start('store');
  const blobs = openBlobs({
    location: locationOf(server),
    environment: { ...credentials, ...environmentOf(server) },
    clock: systemClock,
    random: systemRandom,
  });
  return { blobs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

testBlobContract('blobs in a bucket, named in the path', () =>
  openIn(({ url }) => `s3://store?endpoint=${url}`),
);

testBlobContract('blobs in a bucket, below a prefix', () =>
  openIn(({ url }) => `s3://store/clusters/one?endpoint=${url}&region=eu-central-1`),
);

// Nobody knows the name of this host but the proxy, which is the server itself.
testBlobContract('blobs in a bucket, named in the host, through a proxy', () =>
  openIn(
    () => 's3://store?endpoint=http://s3.test&style=host',
    ({ url }) => ({ HTTP_PROXY: url }),
  ),
);

interface Bench extends AsyncDisposable {
  readonly server: BucketServer;
  readonly blobs: BlobStore;
  readonly clock: VirtualClock;
  readonly file: string;
  /** What comes of it, while time passes as it is waited for. */
  passing<T>(work: Promise<T>): Promise<T>;
}

async function createBench(): Promise<Bench> {
  const server = await BucketServer.start('store');
  const clock = new VirtualClock();
  const directory = await mkdtemp(join(tmpdir(), 's3-test-'));
  const blobs = openBlobs({
    location: `s3://store?endpoint=${server.url}`,
    environment: credentials,
    clock,
    random: systemRandom,
  });
  return {
    ...{ server, blobs, clock, file: join(directory, 'file') },
    async passing(work) {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      work.then(over, over);
      while (!isOver) {
        if (clock.timers > 0) await clock.advance(60_000);
        await new Promise(setImmediate);
      }
      return work;
    },
    async [Symbol.asyncDispose]() {
      blobs.close();
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

const bytesMax = 1_000_000;

async function putOne({ blobs, file }: Bench): Promise<void> {
  await writeFile(file, 'here');
  await blobs.put('one', file, signal);
}

test('a server that slows callers down is asked again', async () => {
  await using bench = await createBench();
  const slow = { status: 503, code: 'SlowDown', headers: { 'retry-after': '1' } };
  bench.server.faults.push(slow, { status: 500, code: 'InternalError' }, { status: 429 });
  await bench.passing(putOne(bench));
  assert.equal(bench.server.objects.get('one')?.content.toString(), 'here');
  assert.equal(bench.server.asked.length, 4);
});

test('a server that never has time is given up', async () => {
  await using bench = await createBench();
  const slow = { status: 503, code: 'SlowDown' };
  bench.server.faults.push(slow, slow, slow, slow, slow);
  await assert.rejects(bench.passing(putOne(bench)), {
    code: 'Unreachable',
    retry: 'later',
    message:
      'Cannot write "one" in s3://store: found status 503 SlowDown, expected an answer within 4 tries',
  });
  assert.equal(bench.server.asked.length, 4);
});

test('an answer that breaks off is asked for again', async () => {
  await using bench = await createBench();
  await putOne(bench);
  bench.server.faults.push({ breaksOffAfter: 10 });
  const target = { file: bench.file, bytesMax };
  assert.equal(await bench.passing(bench.blobs.get('one', target, signal)), true);
  assert.equal(await readFile(bench.file, 'utf8'), 'here');
});

test('who may not is told what was not allowed, and is not asked again', async () => {
  await using bench = await createBench();
  bench.server.faults.push({ status: 403, code: 'SignatureDoesNotMatch' });
  await assert.rejects(bench.passing(putOne(bench)), {
    code: 'Denied',
    message: 'Cannot write "one" in s3://store: found status 403 SignatureDoesNotMatch Found <it>',
    remedy: /^Check the credentials/,
  });
  assert.equal(bench.server.asked.length, 1);
});

test('a bucket that there is not is told from a key that there is not', async () => {
  await using bench = await createBench();
  const target = { file: bench.file, bytesMax };
  const asked: readonly (() => Promise<unknown>)[] = [
    () => bench.blobs.get('one', target, signal),
    () => putOne(bench),
    () => Array.fromAsync(bench.blobs.list('', signal)),
  ];
  for (const ask of asked) {
    bench.server.faults.push({ status: 404, code: 'NoSuchBucket' });
    await assert.rejects(bench.passing(ask()), {
      code: 'BucketNotFound',
      message: /: found no bucket "store", expected one$/,
    });
  }
});

test('a list that is none is refused', async () => {
  await using bench = await createBench();
  bench.server.faults.push({ text: '<html>Welcome</html>' });
  const listing = Array.fromAsync(bench.blobs.list('', signal));
  await assert.rejects(bench.passing(listing), { code: 'BrokenAnswer', message: /found no list/ });
});

test('long lists come in pages', async () => {
  await using bench = await createBench();
  bench.server.keysPerPage = 2;
  await writeFile(bench.file, '');
  const keys = ['a', 'b', 'c', 'd', 'e'];
  for (const key of keys) await bench.blobs.put(key, bench.file, signal);
  const listed = await Array.fromAsync(bench.blobs.list('', signal));
  assert.deepEqual(
    listed.map(({ key }) => key),
    keys,
  );
  const lists = bench.server.asked.filter(({ url }) => url.includes('list-type=2'));
  assert.equal(lists.length, 3);
});

test('nobody at the other end is told as that', async () => {
  await using bench = await createBench();
  await bench.server[Symbol.asyncDispose]();
  await assert.rejects(bench.passing(putOne(bench)), {
    code: 'Unreachable',
    message: /found .*ECONNREFUSED.*, expected an answer within 4 tries$/,
  });
});
