/** The website example as people run it: by kubeconfig, with kubectl, until the page is served. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const example = join(import.meta.dirname, '..', 'examples', 'website');

test('a WebSite is served by Pods that run, through its Service', async () => {
  await using fnlet = await startFnlet();
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await fnlet.kubectl(args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
    return stdout;
  };
  const operator = spawn(process.execPath, [join(example, 'website.ts')], {
    env: { ...process.env, KUBECONFIG: fnlet.endpoints.kubeconfig },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await until(() => kubectl('apply', '-f', join(example, 'site.yaml')), { what: 'WebSites' });
    await kubectl('wait', '--for=condition=Ready', 'website/hello', '--timeout=60s');
    const page = (): Promise<string> =>
      kubectl('get', '--raw', '/api/v1/namespaces/default/services/hello:80/proxy/');
    assert.equal(await until(page, { what: 'the Service' }), '<h1>Hello</h1>');
    const pods = await kubectl('get', 'pods', '-l', 'example.dev/site=hello', '-o', 'name');
    assert.equal(pods.trim().split('\n').length, 2);

    const spec = JSON.stringify({ spec: { html: '<h1>Bye</h1>', replicas: 1 } });
    await kubectl('patch', 'website', 'hello', '--type=merge', '-p', spec);
    await kubectl('wait', '--for=jsonpath={.data.index\\.html}=<h1>Bye</h1>', 'configmap/hello');
    await kubectl('delete', 'website', 'hello');
    await until(async () => (await kubectl('get', 'deployments', '-o', 'name')) === '', {
      what: 'the Deployment to go with its WebSite',
    });
  } finally {
    operator.kill();
  }
});
