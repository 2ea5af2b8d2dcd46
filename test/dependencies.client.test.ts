/** Dependencies of npm and of Python: installed once, then usable with the registry out of reach. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi } from './api-access.ts';
import { makeDataDirectory, startFnlet } from './fnlet-process.ts';

const lodash = {
  dependencies: '{"dependencies": {"lodash": "4.17.21"}}',
  source: {
    inline: `const { kebabCase } = require('lodash');
module.exports = { main: () => kebabCase('Hello World') };`,
  },
};

// Port 9 of loopback: nobody listens there.
const unreachable = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };

test('a function with lodash answers; the second start needs no registry', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const first = await startFnlet({ dataDirectory });
    const api = await createApi(first.endpoints.kubeconfig);
    await api.applyFunction('kebab', lodash);
    await api.waitReady('kebab');
    const answer = await fetch(`${first.endpoints.gateway}/default/kebab`);
    assert.equal(await answer.text(), 'hello-world');
    await api.close();
    assert.equal(await first.stop(), 0);

    const second = await startFnlet({ dataDirectory, env: unreachable });
    const again = await fetch(`${second.endpoints.gateway}/default/kebab`);
    assert.equal(await again.text(), 'hello-world');
    // Another function with the same dependencies does not need it either.
    const secondApi = await createApi(second.endpoints.kubeconfig);
    await secondApi.applyFunction('kebab-too', lodash);
    await secondApi.waitReady('kebab-too');
    await secondApi.close();
    await second.stop();
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('a dependency that does not exist, and a registry out of reach, are told apart', async () => {
  const dataDirectory = await makeDataDirectory();
  try {
    const first = await startFnlet({ dataDirectory });
    const api = await createApi(first.endpoints.kubeconfig);
    await api.applyFunction('nobody', {
      ...lodash,
      dependencies: '{"dependencies": {"@fnlet-test/does-not-exist": "1.0.0"}}',
    });
    const missing = await api.waitNotReady('nobody');
    assert.equal(missing.reason, 'DependencyNotFound');
    assert.match(missing.message, /@fnlet-test\/does-not-exist/);
    await api.close();
    await first.stop();

    const second = await startFnlet({ dataDirectory, env: unreachable });
    const offline = await createApi(second.endpoints.kubeconfig);
    await offline.applyFunction('offline', {
      ...lodash,
      dependencies: '{"dependencies": {"left-pad": "1.3.0"}}',
    });
    assert.equal((await offline.waitNotReady('offline')).reason, 'RegistryUnreachable');
    await offline.close();
    await second.stop();
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test(
  'a function with requirements answers; the second start needs no index',
  needsPython,
  async () => {
    const dataDirectory = await makeDataDirectory();
    const runtime = pythonName;
    const dependencies = 'requests==2.31.0\n';
    const source = {
      inline: 'import requests\ndef main(event, context): return requests.__version__\n',
    };
    try {
      const first = await startFnlet({ dataDirectory });
      const api = await createApi(first.endpoints.kubeconfig);
      await api.applyFunction('asks', { runtime, dependencies, source });
      await api.waitReady('asks');
      assert.equal(await (await fetch(`${first.endpoints.gateway}/default/asks`)).text(), '2.31.0');
      await api.applyFunction('nobody', {
        ...{ runtime, source },
        dependencies: 'fnlet-test-does-not-exist==1.0',
      });
      const missing = await api.waitNotReady('nobody');
      assert.equal(missing.reason, 'DependencyNotFound');
      assert.match(missing.message, /fnlet-test-does-not-exist/);
      await api.applyFunction('broken', { runtime, source, dependencies: 'requests\n-e .\n' });
      assert.match(
        (await api.waitNotReady('broken')).message,
        /dependencies:2: found the option "-e \."/,
      );
      await api.close();
      await first.stop();

      const env = {
        PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
        UV_DEFAULT_INDEX: 'http://127.0.0.1:9',
      };
      const second = await startFnlet({ dataDirectory, env });
      const offline = await createApi(second.endpoints.kubeconfig);
      await offline.applyFunction('asks-too', { runtime, dependencies, source });
      await offline.waitReady('asks-too');
      const answer = await fetch(`${second.endpoints.gateway}/default/asks-too`);
      assert.equal(await answer.text(), '2.31.0');
      await offline.close();
      await second.stop();
    } finally {
      await rm(dataDirectory, { recursive: true, force: true });
    }
  },
);

/** Two versions of one package that disagree, and what a function says of its own. */
const clashing = {
  npm: ['3.10.1', '4.17.21'].map((version) => ({
    version,
    spec: {
      dependencies: JSON.stringify({ dependencies: { lodash: version } }),
      source: { inline: "exports.main = () => require('lodash').VERSION;" },
    },
  })),
  pip: ['2.10', '3.7'].map((version) => ({
    version,
    spec: {
      runtime: pythonName,
      dependencies: `idna==${version}`,
      source: { inline: 'import idna\ndef main(event, context): return idna.__version__\n' },
    },
  })),
};

for (const [name, rows] of Object.entries(clashing)) {
  const options = name === 'pip' ? needsPython : {};
  test(
    `functions with clashing versions of one package live side by side: ${name}`,
    options,
    async () => {
      await using fnlet = await startFnlet();
      const api = await createApi(fnlet.endpoints.kubeconfig);
      const names = rows.map((_, index) => `${name}-${index}`);
      await Promise.all(rows.map(({ spec }, index) => api.applyFunction(`${name}-${index}`, spec)));
      for (const each of names) await api.waitReady(each);
      const ask = async (each: string): Promise<string> =>
        (await fetch(`${fnlet.endpoints.gateway}/default/${each}`)).text();
      const answers = await Promise.all([...names, ...names].map(ask));
      const versions = rows.map(({ version }) => version);
      assert.deepEqual(answers, [...versions, ...versions]);
      await api.close();
    },
  );
}
