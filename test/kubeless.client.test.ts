/** Functions of Kubeless and their triggers, applied with kubectl and called. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

describe('objects of Kubeless', () => {
  let fnlet: FnletProcess;
  before(async () => {
    fnlet = await startFnlet();
  });
  after(() => fnlet[Symbol.asyncDispose]());

  async function kubectl(args: readonly string[], input = ''): Promise<string> {
    const { code, stdout, stderr } = await fnlet.kubectl(args, { input });
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async function deploy(name: string, spec: object): Promise<void> {
    const manifest = {
      apiVersion: 'kubeless.io/v1beta1',
      kind: 'Function',
      metadata: { name },
      spec,
    };
    await kubectl(['apply', '-f', '-'], JSON.stringify(manifest));
    const object = `functions.kubeless.io/${name}`;
    await kubectl(['wait', '--for=condition=Ready', object, '--timeout=30s']);
  }

  const address = (name: string): string => `${fnlet.endpoints.gateway}/default/${name}`;

  it('runs a Node function and hands it an event', async () => {
    await deploy('get-node', {
      handler: 'helloget.foo',
      runtime: 'nodejs14',
      timeout: '20',
      function: `module.exports = {
        foo: (event, context) =>
          ({ data: event.data, name: context['function-name'], module: process.env.MOD_NAME }),
      };`,
    });
    const response = await fetch(address('get-node'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    const answer = { data: { a: 1 }, name: 'foo', module: 'helloget' };
    assert.deepEqual(await response.json(), answer);
    const service = ['get', 'service', 'get-node', '-o', 'jsonpath={.spec.ports[0].name}'];
    assert.equal(await kubectl(service), 'http-function-port');
    const pods = await kubectl(['get', 'pods', '-l', 'created-by=kubeless,function=get-node']);
    assert.match(pods, /Running/);
  });

  it('calls a function when its CronJobTrigger says so', async () => {
    await deploy('tick', {
      handler: 'tick.run',
      runtime: 'nodejs14',
      function: `exports.run = (event) => {
        console.log('called by', event['event-namespace'], JSON.stringify(event.data));
      };`,
    });
    const trigger = {
      apiVersion: 'kubeless.io/v1beta1',
      kind: 'CronJobTrigger',
      metadata: { name: 'tick' },
      spec: { schedule: '@every 1s', 'function-name': 'tick', payload: { quote: "it's" } },
    };
    await kubectl(['apply', '-f', '-'], JSON.stringify(trigger));
    const log = ['logs', '-l', 'function=tick'];
    const expected = /called by cronjobtrigger\.kubeless\.io {"quote":"it's"}/;
    await until(async () => expected.test(await kubectl(log)), {
      what: 'the function to be called',
    });
    await kubectl(['delete', 'functions.kubeless.io', 'tick']);
    await until(async () => (await kubectl(['get', 'cronjobtriggers'])) === '', {
      what: 'the trigger to go with its function',
    });
  });

  it('is called at the host and path of an HTTPTrigger, by pages of other origins too', async () => {
    await deploy('cors', {
      handler: 'cors.run',
      runtime: 'nodejs14',
      function: 'exports.run = ({ extensions }) => extensions.request.url;',
    });
    const trigger = {
      apiVersion: 'kubeless.io/v1beta1',
      kind: 'HTTPTrigger',
      metadata: { name: 'cors', annotations: { 'nginx.ingress.kubernetes.io/x': 'y' } },
      spec: {
        ...{ 'function-name': 'cors', 'host-name': 'cors.example.com', path: 'echo' },
        ...{ 'cors-enable': true, gateway: 'nginx', tls: false, 'tls-secret': '' },
      },
    };
    await kubectl(['apply', '-f', '-'], JSON.stringify(trigger));
    await kubectl(['wait', '--for=condition=Ready', 'httptriggers/cors', '--timeout=60s']);
    const { port } = new URL(fnlet.endpoints.gateway);
    const ask = async (method: string, path: string): Promise<IncomingMessage> => {
      const headers = {
        ...{ host: 'cors.example.com', origin: 'https://page.example.com' },
        'access-control-request-method': 'PUT',
      };
      const [answer] = await once(
        request({ host: '127.0.0.1', port, path, method, headers }).end(),
        'response',
      );
      return answer;
    };
    const called = await ask('GET', '/echo/deep?a=1');
    assert.equal((await called.toArray()).join(''), '/deep?a=1');
    assert.equal(called.headers['access-control-allow-origin'], '*');
    const preflight = await ask('OPTIONS', '/echo');
    assert.equal(preflight.headers['access-control-max-age'], '1728000');
    assert.match(String(preflight.headers['access-control-allow-methods']), /PUT/);
    const message = 'jsonpath={.status.conditions[0].message}';
    const told = await kubectl(['get', 'httptriggers', 'cors', '-o', message]);
    assert.match(told, /annotation nginx\.ingress\.kubernetes\.io\/x has no effect/);
    assert.match(
      await kubectl(['get', 'httptriggers']),
      /^cors +cors +cors\.example\.com +echo +True/m,
    );
  });
});
