/**
 * Blobs in a server of S3 that was not written here. It does not check signatures of version 4:
 * `sign-request.test.ts` compares them with those that AWS publishes.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fnlet/base';
import { openBlobs } from '../src/bucket/open-blobs.ts';
import { testBlobContract } from './blob-contract.ts';

const folder = join(import.meta.dirname, '../../..', 'node_modules/.cache/clients/s3rver');
// In CI it must not be missing.
const isHere =
  existsSync(join(folder, 'node_modules/s3rver')) || process.env.FNLET_ALL_BROKERS !== undefined;
const skip = isHere ? false : 's3rver is not there; .ci/clients fetches it';

const program = `
  const S3rver = require('s3rver');
  const [directory] = process.argv.slice(1);
  const server = new S3rver({
    ...{ directory, address: '127.0.0.1', port: 0, silent: true },
    ...{ serviceEndpoint: 'test', configureBuckets: [{ name: 'store' }] },
  });
  server.run().then(({ port }) => console.log(port));
`;

const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

class S3Server implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #directory: string;

  private constructor(child: ChildProcess, directory: string, port: string) {
    this.#child = child;
    this.#directory = directory;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<S3Server> {
    const directory = await mkdtemp(join(tmpdir(), 's3-server-'));
    const child = spawn(process.execPath, ['-e', program, directory], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = await once(child.stdout, 'data');
    return new S3Server(child, directory, String(port).trim());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    await rm(this.#directory, { recursive: true });
  }
}

interface Way {
  readonly location: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function open(wayTo: (url: string) => Way) {
  const server = await S3Server.start();
  const blobs = openBlobs({ ...wayTo(server.url), clock: systemClock, random: systemRandom });
  return { blobs, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

if (skip === false) {
  testBlobContract('blobs in s3rver, named in the path', () =>
    open((url) => ({ location: `s3://store/one?endpoint=${url}`, environment: keys })),
  );
  // The name of the host is known to the server alone, which is asked as a proxy is.
  testBlobContract('blobs in s3rver, named in the host', () =>
    open((url) => ({
      location: 's3://store?endpoint=http://s3.test&style=host',
      environment: { ...keys, HTTP_PROXY: url },
    })),
  );
}

test('a bucket that there is not is told as that', { skip }, async () => {
  const wayTo = (url: string): Way => ({
    location: `s3://other?endpoint=${url}`,
    environment: keys,
  });
  await using opened = await open(wayTo);
  const listing = Array.fromAsync(opened.blobs.list('', new AbortController().signal));
  await assert.rejects(listing, { code: 'BucketNotFound' });
  opened.blobs.close();
});
