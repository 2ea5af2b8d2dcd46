// The real git, against git's own HTTP server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadCertificates } from '@fnlet/apiserver';
import { silentLogger, systemClock, VirtualClock } from '@fnlet/base';
import { limits } from '../src/limits.ts';
import { createReaper } from '../src/reaper.ts';
import { GitCache, type GitRemote, type GitTree } from '../src/source/git-cache.ts';
import { startGitServer } from './git-server.ts';

const root = mkdtempSync(join(tmpdir(), 'git-cache-'));
const reaper = createReaper({ clock: systemClock, logger: silentLogger });
const caller = { signal: new AbortController().signal };

after(async () => {
  await reaper.close();
  rmSync(root, { recursive: true });
});

let made = 0;

class Bench {
  readonly directory: string = join(root, `cache-${made++}`);
  readonly cache: GitCache = this.open();

  open(environment: Record<string, string> = {}): GitCache {
    const { directory } = this;
    const { PATH = '' } = process.env;
    return new GitCache({
      directory,
      environment: { PATH, ...environment },
      reaper,
      clock: systemClock,
    });
  }

  /** The files of a commit, by path. */
  async read(remote: GitRemote, tree: GitTree, by = caller): Promise<Record<string, string>> {
    const target = join(root, `target-${made++}`);
    mkdirSync(target);
    await this.cache.write(remote, { ...tree, target }, by);
    const files = readdirSync(target, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      files
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => {
          const path = join(parentPath, name);
          return [path.slice(target.length + 1), readFileSync(path, 'utf8')];
        }),
    );
  }

  /** Nothing of one use is left, least of all credentials. */
  assertClean(): void {
    const left = readdirSync(this.directory, { recursive: true }).map(String);
    assert.deepEqual(
      left.filter((name) => /access-|\.lock$|tmp_/.test(name)),
      [],
    );
  }
}

function remote(url: string, secret?: Record<string, string>): GitRemote {
  return { url, secret, scope: secret === undefined ? '' : 'default/secret' };
}

const whole = { directory: '' };

test('references are resolved, and commits are written byte for byte', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  const attributes = '* text eol=crlf\n*.md export-ignore\nid.txt ident export-subst\n';
  const files = {
    'handler.js': 'a\nb\n',
    'README.md': 'r',
    'id.txt': '$Id$ $Format:%H$',
    'lib/x.js': 'x',
    '.gitattributes': attributes,
  };
  const first = server.commit('code.git', files);
  server.git('code.git', 'tag', '-a', 'v1', '-m', 'one');
  server.git('code.git', 'push', '-q', 'origin', 'v1');
  const second = server.commit('code.git', { 'handler.js': 'c' }, 'feature/x');
  const code = remote(`${server.url}/code.git`);
  const asked = ['main', 'v1', 'feature/x', undefined, 'refs/tags/v1', first, 'missing'];
  const found = await bench.cache.resolve(code, asked, caller);
  assert.deepEqual(
    asked.map((name) => found.get(name)),
    [first, first, second, first, first, first, undefined],
  );
  assert.deepEqual(await bench.read(code, { commit: first, ...whole }), files);
  assert.equal((await bench.read(code, { commit: second, ...whole }))['handler.js'], 'c');
  assert.deepEqual(await bench.read(code, { commit: first, directory: 'lib' }), { 'x.js': 'x' });
  bench.assertClean();
});

test('what must not be unpacked is told as that, however much git still had to say', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  server.commit('code.git', { 'z.txt': randomBytes(4_000_000).toString('base64') });
  symlinkSync('/etc/passwd', join(server.directory, 'work', 'code.git', 'a-link'));
  const commit = server.commit('code.git', {});
  const reading = bench.read(remote(`${server.url}/code.git`), { commit, ...whole });
  await assert.rejects(reading, { code: 'InvalidArchive', message: /the link "a-link" to/ });
});

test('a commit that was fetched is read without the server', async () => {
  const bench = new Bench();
  let code: GitRemote;
  let commit: string;
  {
    await using server = await startGitServer();
    commit = server.commit('code.git', { 'a.js': 'one' });
    code = remote(`${server.url}/code.git`);
    await bench.read(code, { commit, ...whole });
  }
  assert.deepEqual(await bench.read(code, { commit, ...whole }), { 'a.js': 'one' });
  const other = { commit: commit.replaceAll(/[0-9]/g, '0'), ...whole };
  await assert.rejects(bench.read(code, other), { code: 'SourceUnreachable' });
});

test('a commit that no branch has any more is fetched by its name', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  server.git('code.git', 'commit', '-q', '--amend', '-m', 'other');
  server.git('code.git', 'push', '-q', '-f', 'origin', 'main');
  const code = remote(`${server.url}/code.git`);
  assert.deepEqual(await bench.read(code, { commit, ...whole }), { 'a.js': 'one' });
});

test('what a killed git left, and damage, are no hindrance', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  const code = remote(`${server.url}/code.git`);
  const first = server.commit('code.git', { 'a.js': 'one' });
  await bench.read(code, { commit: first, ...whole });
  const [name = ''] = readdirSync(bench.directory);
  const repository = join(bench.directory, name);
  writeFileSync(join(repository, 'shallow.lock'), '');
  writeFileSync(join(repository, 'objects/pack/tmp_pack_x'), 'half');
  const second = server.commit('code.git', { 'a.js': 'two' });
  assert.deepEqual(await bench.read(code, { commit: second, ...whole }), { 'a.js': 'two' });
  for (const damaged of ['HEAD', 'objects']) {
    rmSync(join(repository, damaged), { recursive: true });
    assert.deepEqual(await bench.read(code, { commit: second, ...whole }), { 'a.js': 'two' });
  }
  bench.assertClean();
});

test('a password opens, a wrong one is denied, and neither is left behind', async () => {
  await using server = await startGitServer({ login: 'me:s3cret' });
  const bench = new Bench();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  const url = `${server.url}/code.git`;
  const right = remote(url, { username: 'me', password: 's3cret' });
  const found = await bench.cache.resolve(right, ['main'], caller);
  assert.equal(found.get('main'), commit);
  assert.deepEqual(await bench.read(right, { commit, ...whole }), { 'a.js': 'one' });
  for (const secret of [undefined, { username: 'me', password: 'wrong' }, { token: 's3cret' }]) {
    const asking = bench.cache.resolve(remote(url, secret), ['main'], caller);
    await assert.rejects(asking, { code: 'SourceDenied' });
  }
  // Fetched with credentials: for those only who have them.
  await assert.rejects(bench.read(remote(url), { commit, ...whole }), { code: 'SourceDenied' });
  bench.assertClean();
});

test('a password is not told to a server that another one redirects to', async () => {
  const told: (string | undefined)[] = [];
  await using thief = await startGitServer({
    login: 'me:s3cret',
    intercept: ({ headers }) => {
      told.push(headers.authorization);
      return false;
    },
  });
  thief.commit('code.git', { 'a.js': 'evil' });
  await using server = await startGitServer({
    intercept: ({ url }, response) => {
      response.writeHead(302, { location: `${thief.url}${url}` }).end();
      return true;
    },
  });
  const bench = new Bench();
  const asked = remote(`${server.url}/code.git`, { username: 'me', password: 's3cret' });
  await assert.rejects(bench.cache.resolve(asked, ['main'], caller), { code: 'SourceDenied' });
  assert.ok(told.length > 0);
  assert.deepEqual(new Set(told), new Set([undefined]));
});

test('a certificate is trusted with the authority in the Secret, and only with it', async () => {
  const directory = join(root, 'pki');
  const tls = await loadCertificates({ directory, hosts: ['127.0.0.1'], clock: systemClock });
  await using server = await startGitServer({ tls, login: 'me:s3cret' });
  const bench = new Bench();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  const url = `${server.url}/code.git`;
  const login = { username: 'me', password: 's3cret' };
  const trusting = remote(url, { ...login, 'ca.crt': tls.caPem });
  assert.equal((await bench.cache.resolve(trusting, ['main'], caller)).get('main'), commit);
  await assert.rejects(bench.cache.resolve(remote(url, login), ['main'], caller), {
    code: 'SourceDenied',
    message: /certificate/,
  });
});

test('a repository that a plain web server has is fetched whole', async () => {
  await using server = await startGitServer({
    intercept: ({ url = '' }, response) => {
      const path = join(server.directory, url.split('?')[0] ?? '');
      if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end();
      return true;
    },
  });
  const bench = new Bench();
  const first = server.commit('code.git', { 'a.js': 'one' });
  server.commit('code.git', { 'a.js': 'two' });
  execFileSync('git', ['update-server-info'], { cwd: join(server.directory, 'code.git') });
  const code = remote(`${server.url}/code.git`);
  const found = await bench.cache.resolve(code, ['main'], caller);
  assert.notEqual(found.get('main'), first);
  assert.deepEqual(await bench.read(code, { commit: first, ...whole }), { 'a.js': 'one' });
});

test('what does not exist is said to be so', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  const code = remote(`${server.url}/code.git`);
  await assert.rejects(bench.cache.resolve(remote(`${server.url}/no.git`), ['main'], caller), {
    code: 'SourceNotFound',
  });
  await assert.rejects(bench.read(code, { commit, directory: 'src' }), {
    code: 'SourceNotFound',
    message: /directory/,
  });
  await assert.rejects(bench.read(code, { commit: '0'.repeat(39).concat('1'), ...whole }), {
    code: 'SourceNotFound',
  });
});

/** What all processes show of themselves to whoever looks. */
function commandLines(): string {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes
    .map((name) => {
      try {
        return (
          readFileSync(`/proc/${name}/cmdline`, 'utf8') + readFileSync(`/proc/${name}/environ`)
        );
      } catch {
        return '';
      }
    })
    .join('\n');
}

test('a server that hangs is given up with the caller, and git with it', async () => {
  await using server = await startGitServer({
    intercept: ({ headers }, response) => {
      if (headers.authorization !== undefined) return true;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return true;
    },
  });
  const bench = new Bench();
  const abort = new AbortController();
  const slow = remote(`${server.url}/x.git`, { username: 'me', password: 'a-s3cret-word' });
  const asking = bench.cache.resolve(slow, ['main'], { signal: abort.signal });
  const refused = assert.rejects(asking, { name: 'AbortError' });
  while (server.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
  if (existsSync('/proc/self/environ')) {
    const shown = commandLines();
    assert.ok(shown.includes('ls-remote'));
    assert.ok(!shown.includes('a-s3cret-word'));
  }
  abort.abort();
  await refused;
  bench.assertClean();
});

test('a server that hangs is given up in the end', async () => {
  await using server = await startGitServer({ intercept: () => true });
  const clock = new VirtualClock();
  const directory = join(root, `cache-${made++}`);
  const { PATH = '' } = process.env;
  const cache = new GitCache({ directory, environment: { PATH }, reaper, clock });
  const asking = cache.resolve(remote(`${server.url}/x.git`), ['main'], caller);
  const refused = assert.rejects(asking, {
    code: 'SourceUnreachable',
    message: /no end within 60 s/,
  });
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(limits.gitAskMs);
  await refused;
});

test('hooks and configuration of this machine, and of a repository, take no part', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  const evil = join(root, 'evil');
  const commit = server.commit('code.git', {
    'a.js': 'one',
    '.gitattributes': '* filter=evil\n',
    '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${evil}\n`,
  });
  const home = join(root, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), `[filter "evil"]\n\tsmudge = touch ${evil}\n`);
  const cache = bench.open({ HOME: home, GIT_SSH_COMMAND: 'x', GIT_TRACE: join(root, 'trace') });
  const target = join(root, 'configured');
  mkdirSync(target);
  const code = remote(`${server.url}/code.git`);
  await cache.write(code, { commit, ...whole, target }, caller);
  assert.ok(existsSync(join(target, 'a.js')));
  assert.ok(!existsSync(evil));
  assert.ok(!existsSync(join(root, 'trace')));
});

test('paths of this machine are no repositories', async () => {
  const bench = new Bench();
  for (const url of ['/etc', 'file:///etc', 'ext::sh -c id', 'https://u:p@host/x', '-x']) {
    await assert.rejects(bench.cache.resolve(remote(url), ['main'], caller), {
      code: 'SourceNotFound',
      message: /expected https/,
    });
  }
});

test('sweep() removes what was not used for long', async () => {
  await using server = await startGitServer();
  const bench = new Bench();
  const commit = server.commit('code.git', { 'a.js': 'one' });
  await bench.read(remote(`${server.url}/code.git`), { commit, ...whole });
  await bench.cache.sweep();
  const [name = ''] = readdirSync(bench.directory);
  utimesSync(join(bench.directory, name, 'complete'), 1, 1);
  await bench.cache.sweep();
  assert.deepEqual(readdirSync(bench.directory), []);
});
