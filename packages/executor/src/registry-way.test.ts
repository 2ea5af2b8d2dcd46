import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesIn, withRegistryWay } from './registry-way.ts';

const { signal } = new AbortController();

test('placesIn() finds the hosts of URLs, each once', () => {
  const npmrc = '@a:registry=http://npm.tools.svc.cluster.local:4873/\n//x.example/:_auth=b\n';
  const pipConf = '[global]\nindex-url = https://me:p%40ss@PyPI.tools/simple\n';
  assert.deepEqual(placesIn([npmrc, undefined, pipConf, pipConf, 'x @ http://1.2.3.4/x.whl']), [
    { host: 'npm.tools.svc.cluster.local', port: 4873 },
    { host: 'pypi.tools', port: 443 },
    { host: '1.2.3.4', port: 80 },
  ]);
  const many = Array.from({ length: 200 }, (_, index) => `http://h${index}/`).join(' ');
  assert.equal(placesIn([many]).length, 50);
});

test('withRegistryWay() leaves the environment alone where no registry is a Service', async () => {
  const environment = { PATH: '/bin', https_proxy: 'http://proxy' };
  const options = { texts: ['http://a.b/'], environment, signal };
  const same = async (given: object): Promise<void> => assert.equal(given, environment);
  await withRegistryWay({ ...options, findService: undefined }, same);
  await withRegistryWay({ ...options, findService: async () => undefined }, same);
});

test('withRegistryWay() has a Service asked by way of a proxy that knows it', async () => {
  const environment = {
    PATH: '/bin',
    no_proxy: '.b',
    NPM_CONFIG_PROXY: 'x',
    npm_config_cache: 'c',
  };
  const findService = async () => ({ kind: 'nobody', message: 'why' }) as const;
  const options = { texts: ['http://a.b/'], environment, findService, signal };
  const url = await withRegistryWay(options, async ({ http_proxy, https_proxy, ...rest }) => {
    assert.equal(http_proxy, https_proxy);
    const { HTTP_PROXY, HTTPS_PROXY, ...kept } = rest;
    assert.deepEqual(kept, { PATH: '/bin', npm_config_cache: 'c' });
    return http_proxy ?? '';
  });
  await assert.rejects(fetch(url), /fetch failed/);
});
