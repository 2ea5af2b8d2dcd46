/** Packages of registries that ask who one is, as a Secret of the namespace says it. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { type PackageRegistry, startPackageRegistry } from './package-registry.ts';
import { until } from './until.ts';

const secretName = 'serverless-package-registry-config';
const login = { user: 'builder', password: 'open-sesame-8472' };
const wrong = { user: 'builder', password: 'guessed-word-1139' };
type Login = typeof login;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** How people write it into an .npmrc. */
const npmrcs: Readonly<Record<string, (host: string, who: Login) => string>> = {
  token: (host, { password }) => `//${host}/:_authToken=${password}`,
  basic: (host, { user, password }) => `//${host}/:_auth=${base64(`${user}:${password}`)}`,
  password: (host, { user, password }) =>
    `//${host}/:username=${user}\n//${host}/:_password=${base64(password)}`,
};

let registry: PackageRegistry;
let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  const packages = ['@firm/tool', 'firm-tool'].map((name) => ({ name, version: '1.2.3' }));
  registry = await startPackageRegistry(packages, login);
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

/** Says how the registries of the namespace are reached. */
async function configure(key: '.npmrc' | 'pip.conf', text: string): Promise<void> {
  const data = { [key]: base64(text) };
  await api.applyCore('secrets', { kind: 'Secret', name: secretName, data });
}

async function answer(name: string): Promise<string> {
  return (await fetch(`${fnlet.endpoints.gateway}/default/${name}`)).text();
}

/** Every place outside the store of objects where a credential could have been left. */
async function placesWith(credentials: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  const look = (place: string, text: string): void => {
    if (credentials.some((each) => text.includes(each))) found.push(place);
  };
  const entries = await readdir(fnlet.dataDirectory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const place = relative(fnlet.dataDirectory, path);
    look(`name of ${place}`, entry.name);
    // Secrets are objects, and kept as such.
    if (!entry.isFile() || place.startsWith('store')) continue;
    look(place, await readFile(path, 'latin1').catch(() => ''));
  }
  look('output', fnlet.output());
  const kinds = ['apis/fnlet.dev/v1alpha1/namespaces/default/functions', ...seenByPeople];
  for (const kind of kinds) look(kind, await api.getText(`/${kind}`));
  return found;
}

const seenByPeople = [
  'apis/fnlet.dev/v1alpha1/namespaces/default/revisions',
  'api/v1/namespaces/default/events',
  'api/v1/namespaces/default/pods',
];

/** A credential in the forms in which it is written down. */
function formsOf({ user, password }: Login): readonly string[] {
  return [password, base64(password), base64(`${user}:${password}`)];
}

describe('an npm registry', () => {
  for (const [form, npmrc] of Object.entries(npmrcs)) {
    test(`opens to whom it knows by ${form}, and to nobody else`, async () => {
      const name = `npm-${form}`;
      const text = (who: Login): string =>
        `@firm:registry=http://${registry.host}/\n${npmrc(registry.host, who)}\n`;
      await configure('.npmrc', text(wrong));
      await api.applyFunction(name, {
        dependencies: JSON.stringify({ name, dependencies: { '@firm/tool': '1.2.3' } }),
        source: { inline: `module.exports = { main: () => require('@firm/tool') };` },
      });
      const denied = await api.waitNotReady(name);
      assert.equal(denied.reason, 'RegistryDenied', denied.message);
      assert.match(denied.message, /refuses with E401/);
      const described = await fnlet.cli(['describe', name]);
      assert.match(described.stdout, /Secret serverless-package-registry-config/);
      // Nobody touches the Function: what it waits for is the Secret.
      await configure('.npmrc', text(login));
      await until(async () => (await answer(name)) === '1.2.3', { what: name, timeoutMs: 60_000 });
    });
  }
});

describe('an index of Python packages', needsPython, () => {
  test('opens to whom it knows, and to nobody else', async () => {
    const text = ({ user, password }: Login): string =>
      `[global]\nindex-url = http://${user}:${password}@${registry.host}/simple/\n`;
    await configure('pip.conf', text(wrong));
    await api.applyFunction('pip', {
      runtime: pythonName,
      dependencies: 'firm-tool==1.2.3\n',
      source: { inline: 'import firm_tool\ndef main(event, context): return firm_tool.version\n' },
    });
    const denied = await api.waitNotReady('pip');
    assert.equal(denied.reason, 'RegistryDenied', denied.message);
    assert.match(denied.message, /index refuses[\s\S]*40[13]/);
    await configure('pip.conf', text(login));
    await until(async () => (await answer('pip')) === '1.2.3', { what: 'pip', timeoutMs: 60_000 });
  });
});

describe('a registry that is a Service', () => {
  const host = 'packages.default.svc.cluster.local';
  before(async () => {
    const port = Number(new URL(`http://${registry.host}`).port);
    const ports = [{ port: 80 }];
    await api.applyCore('services', { kind: 'Service', name: 'packages', spec: { ports } });
    const subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port }] }];
    await api.applyCore('endpoints', { kind: 'Endpoints', name: 'packages', subsets });
  });

  test('is asked by its name for packages of npm', async () => {
    const { token } = npmrcs;
    await configure('.npmrc', `registry=http://${host}/\n${token?.(host, login)}\n`);
    await api.applyFunction('npm-service', {
      dependencies: JSON.stringify({ dependencies: { '@firm/tool': '1.2.3' } }),
      source: { inline: `module.exports = { main: () => require('@firm/tool') };` },
    });
    await api.waitReady('npm-service');
    assert.equal(await answer('npm-service'), '1.2.3');
  });

  test('is asked by its name for packages of Python', needsPython, async () => {
    const { user, password } = login;
    const index = `index-url = http://${user}:${password}@${host}/simple/`;
    await configure('pip.conf', `[global]\n${index}\ntrusted-host = ${host}\n`);
    await api.applyFunction('pip-service', {
      runtime: pythonName,
      dependencies: 'firm-tool==1.2.3\n',
      source: { inline: 'import firm_tool\ndef main(event, context): return firm_tool.version\n' },
    });
    await api.waitReady('pip-service');
    assert.equal(await answer('pip-service'), '1.2.3');
  });
});

test('credentials are left nowhere', async () => {
  assert.deepEqual(await placesWith([...formsOf(login), ...formsOf(wrong)]), []);
});
