// Archives over HTTP, from a server that does what the test says.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loadCertificates } from '@fnlet/apiserver';
import { sha256, silentLogger, systemClock } from '@fnlet/base';
import { createReaper } from '../src/reaper.ts';
import { ArchiveCache, type ArchiveRemote } from '../src/source/archive-cache.ts';
import { tarBytes } from './archive-bytes.ts';

const root = mkdtempSync(join(tmpdir(), 'archive-cache-'));
const reaper = createReaper({ clock: systemClock, logger: silentLogger });
const caller = { signal: new AbortController().signal };

after(async () => {
  await reaper.close();
  rmSync(root, { recursive: true });
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface WebServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: IncomingMessage[];
}

async function serve(
  handle: Handler,
  tls?: { readonly keyPem: string; readonly certPem: string },
): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const answer: Handler = (request, response) => {
    requests.push(request);
    handle(request, response);
  };
  const server =
    tls === undefined
      ? createServer(answer)
      : createSecureServer({ key: tls.keyPem, cert: tls.certPem }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

let made = 0;

function openCache(): { readonly cache: ArchiveCache; readonly directory: string } {
  const directory = join(root, `cache-${made++}`);
  const cache = new ArchiveCache({ directory, environment: {}, reaper, clock: systemClock });
  return { cache, directory };
}

function makeTarget(): string {
  const target = join(root, `target-${made++}`);
  mkdirSync(target);
  return target;
}

function remote(url: string, secret?: Record<string, string>): ArchiveRemote {
  return { url, secret, scope: secret === undefined ? '' : 'default/secret' };
}

const archive = gzipSync(tarBytes([{ path: 'handler.js', content: 'one' }]));
const digest = sha256(archive);

test('an archive is fetched once, by however many, and unpacked from then on', async () => {
  await using server = await serve((_, response) => response.end(archive));
  const { cache } = openCache();
  const code = remote(`${server.url}/code.tgz`);
  const found = await Promise.all([1, 2, 3].map(() => cache.fetch(code, caller)));
  assert.deepEqual(found, [digest, digest, digest]);
  assert.equal(server.requests.length, 1);
  const target = makeTarget();
  await cache.write(code, { digest, directory: '', target }, caller);
  assert.equal(readFileSync(join(target, 'handler.js'), 'utf8'), 'one');
  assert.equal(server.requests.length, 1);
});

test('an archive that is lost is fetched again, and another one is refused', async () => {
  let served = archive;
  await using server = await serve((_, response) => response.end(served));
  const { cache, directory } = openCache();
  const code = remote(`${server.url}/code.tgz`);
  await cache.fetch(code, caller);
  rmSync(join(directory, digest));
  await cache.write(code, { digest, directory: '', target: makeTarget() }, caller);
  rmSync(join(directory, digest));
  served = gzipSync(tarBytes([{ path: 'handler.js', content: 'two' }]));
  const writing = cache.write(code, { digest, directory: '', target: makeTarget() }, caller);
  await assert.rejects(writing, { code: 'ChecksumMismatch', message: new RegExp(digest) });
});

test('credentials open, and are told to the server that they are for only', async () => {
  const isMe = ({ headers }: IncomingMessage): boolean =>
    headers.authorization === `Basic ${Buffer.from('me:s3cret').toString('base64')}`;
  await using store = await serve((_, response) => response.end(archive));
  await using server = await serve((request, response) => {
    if (!isMe(request)) response.writeHead(401).end();
    else if (request.url === '/here') response.writeHead(302, { location: '/there' }).end();
    else response.writeHead(302, { location: `${store.url}/code.tgz` }).end();
  });
  const { cache, directory } = openCache();
  const login = { username: 'me', password: 's3cret', 'header.X-Key': 'k' };
  assert.equal(await cache.fetch(remote(`${server.url}/here`, login), caller), digest);
  assert.deepEqual(
    server.requests.map(({ headers }) => headers['x-key']),
    ['k', 'k'],
  );
  const [request] = store.requests;
  assert.equal(request?.headers.authorization, undefined);
  assert.equal(request?.headers['x-key'], undefined);
  await assert.rejects(cache.fetch(remote(`${server.url}/here`), caller), { code: 'SourceDenied' });
  // Kept for those only who have the same Secret.
  assert.ok(!readdirSync(directory).includes(digest));
});

test('a token is a bearer token', async () => {
  await using server = await serve(({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer t0ken' ? 200 : 403).end(archive);
  });
  const { cache } = openCache();
  const url = `${server.url}/code.tgz`;
  assert.equal(await cache.fetch(remote(url, { token: 't0ken\n' }), caller), digest);
  await assert.rejects(cache.fetch(remote(url, { token: 'x' }), caller), { code: 'SourceDenied' });
});

test('a certificate is trusted with the authority in the Secret, and only with it', async () => {
  const tls = await loadCertificates({
    directory: join(root, 'pki'),
    hosts: ['127.0.0.1'],
    clock: systemClock,
  });
  await using plain = await serve((_, response) => response.end(archive));
  await using server = await serve((request, response) => {
    if (request.url === '/down') response.writeHead(302, { location: plain.url }).end();
    else response.end(archive);
  }, tls);
  const { cache } = openCache();
  const trusting = { 'ca.crt': tls.caPem };
  const url = `${server.url}/code.tgz`;
  assert.equal(await cache.fetch(remote(url, trusting), caller), digest);
  await assert.rejects(cache.fetch(remote(url), caller), {
    code: 'SourceDenied',
    message: /certificate/,
  });
  const down = cache.fetch(remote(`${server.url}/down`, trusting), caller);
  await assert.rejects(down, { code: 'SourceUnreachable', message: /leaves HTTPS/ });
});

const failures: readonly (readonly [string, Handler, string])[] = [
  ['has nothing there', (_, response) => response.writeHead(404).end(), 'SourceNotFound'],
  ['has a bad moment', (_, response) => response.writeHead(503).end(), 'SourceUnreachable'],
  [
    'goes in circles',
    (_, response) => response.writeHead(302, { location: '/' }).end(),
    'SourceUnreachable',
  ],
  [
    'redirects to a file',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'SourceUnreachable',
  ],
  [
    'stops in the middle',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('x');
      setImmediate(() => response.destroy());
    },
    'SourceUnreachable',
  ],
];

for (const [title, handle, code] of failures) {
  test(`a server that ${title} is told as such, and leaves nothing behind`, async () => {
    await using server = await serve(handle);
    const { cache, directory } = openCache();
    await assert.rejects(cache.fetch(remote(`${server.url}/code.tgz`), caller), { code });
    assert.deepEqual(readdirSync(directory), []);
  });
}

test('a server that hangs is given up with the last caller', async () => {
  await using server = await serve(() => {});
  const { cache, directory } = openCache();
  const abort = new AbortController();
  const fetching = cache.fetch(remote(`${server.url}/x`), { signal: abort.signal });
  const refused = assert.rejects(fetching, { name: 'AbortError' });
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  await refused;
  while (readdirSync(directory).length > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('sweep() removes what nobody has used for a while', async () => {
  await using server = await serve((_, response) => response.end(archive));
  const { cache, directory } = openCache();
  await cache.fetch(remote(`${server.url}/code.tgz`), caller);
  await cache.sweep();
  assert.deepEqual(readdirSync(directory), [digest]);
  utimesSync(join(directory, digest), 1, 1);
  await cache.sweep();
  assert.deepEqual(readdirSync(directory), []);
});
