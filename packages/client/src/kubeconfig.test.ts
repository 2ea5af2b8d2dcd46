import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { formatKubeconfig } from './format-kubeconfig.ts';
import { type Kubeconfig, loadKubeconfig } from './kubeconfig.ts';

const root = await mkdtemp(join(tmpdir(), 'fnlet-kubeconfig-'));
after(() => rm(root, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(root, name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const inline = `
apiVersion: v1
kind: Config
current-context: one
contexts:
- name: one
  context: {cluster: one, user: one, namespace: team}
- name: two
  context: {cluster: two, user: two}
- name: anonymous
  context: {cluster: two}
clusters:
- name: one
  cluster:
    server: https://one:6443
    certificate-authority-data: ${base64('CA one')}
- name: two
  cluster: {server: https://two/base, insecure-skip-tls-verify: true, tls-server-name: api}
users:
- name: one
  user: {token: secret}
- name: two
  user:
    client-certificate-data: ${base64('CERT')}
    client-key-data: ${base64('KEY')}
`;

async function load(text: string, context?: string): Promise<Kubeconfig> {
  return loadKubeconfig({ file: await write('config', text), context, env: {} });
}

describe('loadKubeconfig()', () => {
  it('follows the current context to its cluster and user', async () => {
    const kubeconfig = await load(inline);
    assert.deepEqual(JSON.parse(JSON.stringify(kubeconfig)), {
      contextName: 'one',
      namespace: 'team',
      server: 'https://one:6443',
      caData: 'CA one',
      insecureSkipTlsVerify: false,
      token: 'secret',
    });
  });

  it('follows a named context, with a client certificate or without any user', async () => {
    const two = await load(inline, 'two');
    assert.deepEqual(
      [two.namespace, two.certData, two.keyData, two.insecureSkipTlsVerify, two.tlsServerName],
      ['default', 'CERT', 'KEY', true, 'api'],
    );
    assert.equal((await load(inline, 'anonymous')).token, undefined);
  });

  it('acts as whom the user says', async () => {
    const as = 'as: jane, as-uid: u1, as-groups: [dev], as-user-extra: {scopes: [a]}';
    const { impersonation } = await load(inline.replace('token: secret', `token: t, ${as}`));
    const extra = { scopes: ['a'] };
    assert.deepEqual(impersonation, { user: 'jane', uid: 'u1', groups: ['dev'], extra });
    assert.equal((await load(inline)).impersonation, undefined);
  });

  it('reads files beside the kubeconfig, and a token file before a token', async () => {
    await write('parts/ca.pem', 'CA file');
    await write('parts/token', 'from file\n');
    const file = await write(
      'parts/config',
      inline
        .replace(/certificate-authority-data: .*/, 'certificate-authority: ca.pem')
        .replace('{token: secret}', '{token: secret, tokenFile: token}'),
    );
    const kubeconfig = await loadKubeconfig({ file, env: {} });
    const { token } = (await kubeconfig.credentials?.read()) ?? {};
    assert.deepEqual([kubeconfig.caData, token], ['CA file', 'from file']);
  });

  it('merges the files of KUBECONFIG, the first one first, missing ones passed over', async () => {
    const first = await write(
      'first',
      'contexts: [{name: mine, context: {cluster: one, user: one}}]\n' +
        'clusters: [{name: one, cluster: {server: "https://first"}}]\n',
    );
    const second = await write('second', inline);
    const env = { KUBECONFIG: [join(root, 'absent'), first, second].join(delimiter) };
    assert.equal((await loadKubeconfig({ env })).contextName, 'one');
    const mine = await loadKubeconfig({ env, context: 'mine' });
    assert.deepEqual([mine.server, mine.token], ['https://first', 'secret']);
  });

  it('reads ~/.kube/config without KUBECONFIG', async () => {
    await write('home/.kube/config', inline);
    assert.equal((await loadKubeconfig({ env: { HOME: join(root, 'home') } })).contextName, 'one');
  });

  const broken: readonly [name: string, text: string, code: string, message: RegExp][] = [
    ['no current context', inline.replace(/current.*/, ''), 'UnknownContext', /found one, two/],
    ['an empty file', '', 'UnknownContext', /found no contexts/],
    [
      'a missing cluster',
      inline.replace('cluster: one', 'cluster: x'),
      'Invalid',
      /no cluster "x"/,
    ],
    [
      'a server that is no URL',
      inline.replace('https://one:6443', 'x'),
      'Invalid',
      /expected a URL/,
    ],
    ['text that is not YAML', 'a: [', 'Invalid', /expected YAML/],
    ['a list', '[]', 'Invalid', /found no mapping/],
    [
      'a missing CA file',
      inline.replace(/certificate-authority-data: .*/, 'certificate-authority: /absent'),
      'Invalid',
      /certificate-authority of "one"/,
    ],
    [
      'a password',
      inline.replace('{token: secret}', '{username: me, password: x}'),
      'UnsupportedAuth',
      /found username, expected a token/,
    ],
    [
      'a credential plugin of another version',
      inline.replace('{token: secret}', '{exec: {apiVersion: v1alpha1, command: aws}}'),
      'Invalid',
      /found exec.apiVersion "v1alpha1"/,
    ],
    [
      'a credential plugin that needs a terminal',
      inline.replace(
        '{token: secret}',
        '{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}}',
      ),
      'UnsupportedAuth',
      /interactiveMode Always/,
    ],
    [
      'a proxy that does not speak HTTP',
      inline.replace(
        'server: https://one:6443',
        'server: https://one:6443\n    proxy-url: socks5://p',
      ),
      'UnsupportedProxy',
      /proxy-url socks5/,
    ],
  ];
  for (const [name, text, code, message] of broken) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(load(text), { code, message });
    });
  }

  it('refuses a file that is not there', async () => {
    const file = join(root, 'absent');
    await assert.rejects(loadKubeconfig({ file, env: {} }), { code: 'NotFound' });
    await assert.rejects(loadKubeconfig({ env: { HOME: root } }), { code: 'NotFound' });
  });
});

describe('formatKubeconfig()', () => {
  it('gives what loadKubeconfig() reads, whatever the texts hold', async () => {
    const options = {
      name: 'fn: "let" #1',
      server: 'https://127.0.0.1:7443',
      caPem: '-----BEGIN CERTIFICATE-----\nä\n',
      token: 'a"b: c\\n$(HOME)',
    };
    const kubeconfig = await load(formatKubeconfig(options));
    assert.equal(kubeconfig.contextName, options.name);
    assert.equal(kubeconfig.server, options.server);
    assert.equal(kubeconfig.caData, options.caPem);
    assert.equal(kubeconfig.token, options.token);
  });
});
