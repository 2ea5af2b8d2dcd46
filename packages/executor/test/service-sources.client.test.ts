// Sources on Services: names that the machine's resolver does not know, with the real git.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loadCertificates } from '@fnlet/apiserver';
import { sha256, silentLogger, systemClock } from '@fnlet/base';
import { createReaper } from '../src/reaper.ts';
import { ArchiveCache } from '../src/source/archive-cache.ts';
import { GitCache } from '../src/source/git-cache.ts';
import type { FindService, NetworkPlace } from '../src/source/service-route.ts';
import { tarBytes } from './archive-bytes.ts';
import { startGitServer } from './git-server.ts';

const root = mkdtempSync(join(tmpdir(), 'service-sources-'));
const reaper = createReaper({ clock: systemClock, logger: silentLogger });
const caller = { signal: new AbortController().signal };

after(async () => {
  await reaper.close();
  rmSync(root, { recursive: true });
});

const name = 'git.tools.svc.cluster.local';
let made = 0;

function makeDirectory(kind: string): string {
  const directory = join(root, `${kind}-${made++}`);
  mkdirSync(directory);
  return directory;
}

/** Of a cluster with one Service, which has the ports 80 and 443. */
function leadTo(url: string, asked: NetworkPlace[] = []): FindService {
  const place = { host: '127.0.0.1', port: Number(new URL(url).port) };
  return async (wanted) => {
    asked.push(wanted);
    if (wanted.host !== name) return undefined;
    if (wanted.port === 80 || wanted.port === 443) return { kind: 'place', place };
    return { kind: 'nobody', message: `Service tools/git has no port ${wanted.port}` };
  };
}

function openGit(findService: FindService, environment: Record<string, string> = {}): GitCache {
  const { PATH = '' } = process.env;
  return new GitCache({
    directory: makeDirectory('git'),
    environment: { PATH, ...environment },
    ...{ findService, reaper, clock: systemClock },
  });
}

async function readHandler(
  cache: GitCache,
  url: string,
  { commit, secret }: { readonly commit: string; readonly secret?: Record<string, string> },
): Promise<string> {
  const remote = { url, scope: '', secret };
  const target = makeDirectory('target');
  await cache.write(remote, { commit, directory: '', target }, caller);
  return readFileSync(join(target, 'a.js'), 'utf8');
}

test('git reads a repository of a Service, by the name that it was asked for', async () => {
  const hosts: unknown[] = [];
  await using server = await startGitServer({
    login: 'me:s3cret',
    intercept({ headers }) {
      hosts.push(headers.host);
      return false;
    },
  });
  const commit = server.commit('code.git', { 'a.js': 'one' });
  const cache = openGit(leadTo(server.url));
  const secret = { username: 'me', password: 's3cret' };
  const remote = { url: `http://${name}/code.git`, scope: '', secret };
  assert.equal((await cache.resolve(remote, ['main'], caller)).get('main'), commit);
  assert.equal(await readHandler(cache, remote.url, { commit, secret }), 'one');
  assert.deepEqual(new Set(hosts), new Set([name]));
  await assert.rejects(cache.resolve({ ...remote, secret: undefined }, ['main'], caller), {
    code: 'SourceDenied',
  });
});

test('the proxy of the machine has no part in it', async () => {
  await using server = await startGitServer();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  const dead = 'http://127.0.0.1:9';
  const environment = { http_proxy: dead, HTTPS_PROXY: dead, all_proxy: dead, no_proxy: '.local' };
  const cache = openGit(leadTo(server.url), environment);
  assert.equal(await readHandler(cache, `http://${name}/code.git`, { commit }), 'one');
});

test('over TLS the server shows a certificate for the name of the Service', async () => {
  const tls = await loadCertificates({
    ...{ directory: makeDirectory('tls'), hosts: [name], clock: systemClock },
  });
  await using server = await startGitServer({ tls });
  const commit = server.commit('code.git', { 'a.js': 'one' });
  const secret = { 'ca.crt': tls.caPem };
  const cache = openGit(leadTo(server.url));
  assert.equal(await readHandler(cache, `https://${name}/code.git`, { commit, secret }), 'one');
  const url = `https://${name}/code.git`;
  const untrusted = cache.resolve({ url, scope: '', secret: undefined }, ['main'], caller);
  await assert.rejects(untrusted, { code: 'SourceDenied', message: /certificate/ });
});

test('a redirect from a Service leads to another, and out of the cluster', async () => {
  await using server = await startGitServer();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  await using front = await startGitServer({
    intercept({ url = '' }, response) {
      const place = url.startsWith('/out/') ? server.url : `http://code.tools.svc`;
      response.writeHead(302, { location: `${place}${url.replace('/out/', '/')}` }).end();
      return true;
    },
  });
  const toFront = leadTo(front.url);
  const toServer = leadTo(server.url);
  const cache = openGit((asked, signal) =>
    asked.host === 'code.tools.svc'
      ? toServer({ ...asked, host: name }, signal)
      : toFront(asked, signal),
  );
  for (const path of ['code.git', 'out/code.git']) {
    const remote = { url: `http://${name}/${path}`, scope: '', secret: undefined };
    assert.equal((await cache.resolve(remote, ['main'], caller)).get('main'), commit, path);
  }
});

test('a Service that nobody answers for is told as that, at once', async () => {
  const cache = openGit(leadTo('http://127.0.0.1:9'));
  const ask = (url: string): Promise<unknown> =>
    cache.resolve({ url, scope: '', secret: undefined }, ['main'], caller);
  await assert.rejects(ask(`http://${name}:8080/code.git`), {
    code: 'SourceUnreachable',
    message: /Service tools\/git has no port 8080/,
  });
  // Nobody listens there any more, which the endpoints do not say yet.
  await assert.rejects(ask(`http://${name}/code.git`), { code: 'SourceUnreachable' });
  await assert.rejects(ask(`https://${name}/code.git`), { code: 'SourceUnreachable' });
});

test('archives are fetched from Services, too, over HTTP and TLS', async () => {
  const archive = gzipSync(tarBytes([{ path: 'a.js', content: 'one' }]));
  const tls = await loadCertificates({
    ...{ directory: makeDirectory('tls'), hosts: [name], clock: systemClock },
  });
  for (const [protocol, options] of Object.entries({ http: {}, https: { tls } })) {
    const hosts: unknown[] = [];
    await using server = await startGitServer({
      ...options,
      intercept({ headers, url }, response) {
        hosts.push(headers.host);
        if (url === '/moved.tgz') response.writeHead(302, { location: '/code.tgz' }).end();
        else response.end(archive);
        return true;
      },
    });
    const cache = new ArchiveCache({
      directory: makeDirectory('archives'),
      environment: { http_proxy: 'http://127.0.0.1:9' },
      ...{ findService: leadTo(server.url), reaper, clock: systemClock },
    });
    const secret = { 'ca.crt': tls.caPem };
    const remote = { url: `${protocol}://${name}/moved.tgz`, scope: '', secret };
    assert.equal(await cache.fetch(remote, caller), sha256(archive));
    assert.deepEqual(hosts, [name, name]);
    const refused = cache.fetch({ ...remote, url: `${protocol}://${name}:81/a.tgz` }, caller);
    await assert.rejects(refused, { code: 'SourceUnreachable', message: /no port 81/ });
  }
});
