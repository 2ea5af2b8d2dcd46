import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { CredentialSource } from './credentials.ts';
import { loadInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const root = await mkdtemp(join(tmpdir(), 'fnlet-credentials-'));
after(() => rm(root, { recursive: true }));

const apiVersion = 'client.authentication.k8s.io/v1';

/** A kubeconfig whose user runs `script`, and counts the runs in a file. */
async function open(script: string, clock = new VirtualClock()): Promise<CredentialSource> {
  await writeFile(join(root, 'runs'), '');
  const body = `#!/bin/sh\necho run >> "${join(root, 'runs')}"\n${script}\n`;
  await writeFile(join(root, 'plugin'), body, { mode: 0o755 });
  const exec = {
    apiVersion,
    command: './plugin',
    args: ['one', 'two'],
    env: [{ name: 'EXTRA', value: 'more' }],
    provideClusterInfo: true,
  };
  const file = join(root, 'config');
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://api' } }],
    users: [{ name: 'u', user: { exec } }],
  };
  await writeFile(file, JSON.stringify(config));
  const { credentials } = await loadKubeconfig({ file, env: { PATH: process.env.PATH }, clock });
  assert.ok(credentials !== undefined);
  return credentials;
}

async function runs(): Promise<number> {
  return (await readFile(join(root, 'runs'), 'utf8')).split('\n').length - 1;
}

const answer = (status: object): string =>
  `echo '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}'`;

describe('a credential plugin', () => {
  it('runs once for all who wait, until what it said expires', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const status = { token: 't', expirationTimestamp: '2026-01-01T00:10:00Z' };
    const credentials = await open(answer(status), clock);
    const all = await Promise.all([credentials.read(), credentials.read(), credentials.read()]);
    assert.deepEqual(
      all.map(({ token }) => token),
      ['t', 't', 't'],
    );
    await clock.advance(599_000);
    await credentials.read();
    assert.equal(await runs(), 1);
    await clock.advance(1_000);
    await Promise.all([credentials.read(), credentials.read()]);
    assert.equal(await runs(), 2);
  });

  it('runs again when the server has refused what it said', async () => {
    const credentials = await open(answer({ clientCertificateData: 'C', clientKeyData: 'K' }));
    const { certData, keyData } = await credentials.read();
    assert.deepEqual([certData, keyData], ['C', 'K']);
    await credentials.read();
    assert.equal(await runs(), 1);
    credentials.refuse();
    await credentials.read();
    assert.equal(await runs(), 2);
  });

  it('keeps nobody waiting who is aborted, and serves those who wait on', async () => {
    const go = join(root, 'go');
    await rm(go, { force: true });
    const wait = `until [ -e "${go}" ]; do sleep 0.02; done`;
    const credentials = await open(`${wait}; ${answer({ token: 'late' })}`);
    const stop = new AbortController();
    const [hasty, patient] = [credentials.read(stop.signal), credentials.read()];
    stop.abort();
    await assert.rejects(hasty, { name: 'AbortError' });
    await assert.rejects(credentials.read(stop.signal), { name: 'AbortError' });
    await writeFile(go, '');
    assert.equal((await patient).token, 'late');
    assert.equal(await runs(), 1);
  });

  it('is told that nobody answers when it asks for something', async () => {
    const asking = `read password || ${answer({ token: 'unasked' })}`;
    const credentials = await open(asking);
    assert.equal((await credentials.read()).token, 'unasked');
  });

  it('gets its arguments, its environment and the cluster', async () => {
    const said = '$1 $2 $EXTRA $KUBERNETES_EXEC_INFO';
    const credentials = await open(`echo "${said}" >&2; exit 3`);
    await assert.rejects(credentials.read(), {
      code: 'Credentials',
      message: /one two more .*"server":"https:\/\/api"/,
    });
  });

  const broken: readonly [string, string, RegExp][] = [
    ['says nothing', 'true', /not an ExecCredential/],
    ['says no status', answer({}).replace(',"status":{}', ''), /not an ExecCredential/],
    ['says no credentials', answer({}), /neither a token/],
    ['says half a certificate', answer({ token: 't', clientKeyData: 'K' }), /found one of/],
    ['answers in another version', answer({ token: 't' }).replace('/v1', '/v9'), /k8s.io\/v9/],
  ];
  for (const [name, script, message] of broken) {
    it(`fails when it ${name}, and is asked again`, async () => {
      const credentials = await open(script);
      await assert.rejects(credentials.read(), { code: 'Credentials', message });
      await assert.rejects(credentials.read(), { code: 'Credentials', message });
      assert.equal(await runs(), 2);
    });
  }

  it('that is not there is named, with what to do', async () => {
    const credentials = await open('true');
    await rm(join(root, 'plugin'));
    await assert.rejects(credentials.read(), {
      message: /found no such program/,
      remedy: /Install/,
    });
  });
});

describe('loadInCluster()', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };

  it('uses the ServiceAccount of the Pod, and its token as it is rotated', async () => {
    const clock = new VirtualClock();
    for (const name of ['token', 'ca.crt', 'namespace'])
      await writeFile(join(root, name), `${name}\n`);
    const inCluster = await loadInCluster({ env, directory: root, clock });
    assert.ok(inCluster?.credentials !== undefined);
    const { server, caData, namespace, credentials } = inCluster;
    assert.deepEqual(
      [server, caData, namespace],
      ['https://[fd00::1]:6443', 'ca.crt', 'namespace'],
    );
    const token = async (): Promise<string | undefined> => (await credentials.read()).token;
    assert.equal(await token(), 'token');
    await writeFile(join(root, 'token'), 'next');
    assert.equal(await token(), 'token');
    await clock.advance(60_000);
    assert.equal(await token(), 'next');
    await writeFile(join(root, 'token'), 'third');
    credentials.refuse();
    assert.equal(await token(), 'third');
    await rm(join(root, 'token'));
    await clock.advance(60_000);
    assert.equal(await token(), 'third');
  });

  it('is for Pods only, and says what a Pod lacks', async () => {
    const clock = new VirtualClock();
    assert.equal(await loadInCluster({ env: {}, directory: root, clock }), undefined);
    const directory = join(root, 'absent');
    await assert.rejects(loadInCluster({ env, directory, clock }), {
      code: 'Invalid',
      remedy: /automountServiceAccountToken/,
    });
  });
});
