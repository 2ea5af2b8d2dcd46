// Git over SSH, with OpenSSH on both sides.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import { createReaper } from '../src/reaper.ts';
import { GitCache } from '../src/source/git-cache.ts';
import { type GitServer, startGitServer } from './git-server.ts';

const sshd = '/usr/sbin/sshd';
const skip = existsSync(sshd) ? false : 'openssh-server is not installed';

const root = mkdtempSync(join(tmpdir(), 'git-ssh-'));
const reaper = createReaper({ clock: systemClock, logger: silentLogger });
const caller = { signal: new AbortController().signal };
const { PATH = '' } = process.env;
const cache = new GitCache({
  directory: join(root, 'cache'),
  environment: { PATH },
  reaper,
  clock: systemClock,
});

let repositories: GitServer;
let daemon: ChildProcess;
let url: string;
let knownHosts: string;
let commit: string;

before(async () => {
  if (skip !== false) return;
  repositories = await startGitServer();
  commit = repositories.commit('code.git', { 'a.js': 'one' });
  makeKey('host');
  makeKey('client');
  makeKey('locked', 'passphrase');
  const port = await findPort();
  url = `ssh://${userInfo().username}@127.0.0.1:${port}${repositories.directory}/code.git`;
  knownHosts = `[127.0.0.1]:${port} ${readFileSync(join(root, 'host.pub'), 'utf8')}`;
  daemon = await startDaemon(port);
});

after(async () => {
  daemon?.kill();
  await repositories?.[Symbol.asyncDispose]();
  await reaper.close();
  rmSync(root, { recursive: true });
});

function makeKey(name: string, passphrase = ''): void {
  const path = join(root, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', path]);
}

function readKey(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

async function startDaemon(port: number): Promise<ChildProcess> {
  // Where the daemon of root leaves its rights behind; an init script makes it.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(join(root, 'authorized'), `${readKey('client.pub')}${readKey('locked.pub')}`);
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(root, 'host')}`,
    `AuthorizedKeysFile ${join(root, 'authorized')}`,
    'StrictModes no',
    'PidFile none',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
  ];
  writeFileSync(join(root, 'config'), `${settings.join('\n')}\n`);
  const child = spawn(sshd, ['-D', '-e', '-f', join(root, 'config')], { stdio: 'pipe' });
  let said = '';
  child.stderr.setEncoding('utf8');
  for await (const text of child.stderr) {
    said += text;
    if (said.includes('Server listening')) return child;
  }
  throw new Error(`sshd ended: ${said}`);
}

async function resolve(secret: Record<string, string>): Promise<string | undefined> {
  const remote = { url, scope: 'default/ssh', secret };
  return (await cache.resolve(remote, ['main'], caller)).get('main');
}

test('a key opens a repository, with the passphrase that it has', { skip }, async () => {
  const known_hosts = knownHosts;
  assert.equal(await resolve({ 'ssh-privatekey': readKey('client'), known_hosts }), commit);
  // As editors leave it, without a last line end.
  assert.equal(await resolve({ key: readKey('client').trimEnd(), known_hosts }), commit);
  const locked = readKey('locked');
  assert.equal(await resolve({ key: locked, password: 'passphrase', known_hosts }), commit);
  const target = join(root, 'target');
  mkdirSync(target);
  const remote = { url, scope: 'x', secret: { key: readKey('client'), known_hosts } };
  await cache.write(remote, { commit, directory: '', target }, caller);
  assert.equal(readFileSync(join(target, 'a.js'), 'utf8'), 'one');
});

test('a wrong key, and a wrong passphrase, are denied', { skip }, async () => {
  makeKey('other');
  const known_hosts = knownHosts;
  const denied = { code: 'SourceDenied', message: /access is denied/ };
  await assert.rejects(resolve({ key: readKey('other'), known_hosts }), denied);
  const locked = readKey('locked');
  await assert.rejects(resolve({ key: locked, password: 'wrong', known_hosts }), denied);
});

test('a host that is not known is not talked to', { skip }, async () => {
  const key = readKey('client');
  const unknown = { code: 'SourceDenied', message: /host key/ };
  await assert.rejects(resolve({ key }), unknown);
  makeKey('false-host');
  const known_hosts = knownHosts.replace(/ssh-ed25519 .*/, readKey('false-host.pub'));
  await assert.rejects(resolve({ key, known_hosts }), unknown);
});

test('a Service is connected to where it leads, and known by its name', { skip }, async () => {
  const named = 'git.tools.svc.cluster.local';
  const place = { host: '127.0.0.1', port: Number(new URL(url).port) };
  const inCluster = new GitCache({
    directory: join(root, 'services'),
    environment: { PATH },
    findService: async ({ host }) => (host === named ? { kind: 'place', place } : undefined),
    reaper,
    clock: systemClock,
  });
  const { username, pathname } = new URL(url);
  const hostKey = readKey('host.pub');
  const key = readKey('client');
  const ask = async (asked: string, known_hosts: string): Promise<string | undefined> => {
    const remote = { url: asked, scope: 'default/ssh', secret: { key, known_hosts } };
    return (await inCluster.resolve(remote, ['main'], caller)).get('main');
  };
  const scp = `${username}@${named}:${pathname}`;
  assert.equal(await ask(`ssh://${username}@${named}${pathname}`, `${named} ${hostKey}`), commit);
  assert.equal(await ask(scp, `${named} ${hostKey}`), commit);
  const elsewhere = `ssh://${username}@${named}:2222${pathname}`;
  assert.equal(await ask(elsewhere, `[${named}]:2222 ${hostKey}`), commit);
  await assert.rejects(ask(scp, `127.0.0.1 ${hostKey}`), { code: 'SourceDenied' });
});
