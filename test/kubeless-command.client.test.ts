/** The `kubeless` command against a real Fnlet, in the ways of Kubeless's documentation. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { zipBytes } from '../packages/executor/test/archive-bytes.ts';
import { needsPython } from '../runtimes/python/test/python.ts';
import { type Finished, type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'kubeless.js');

describe('kubeless', () => {
  let fnlet: FnletProcess;
  let cwd: string;
  before(async () => {
    fnlet = await startFnlet();
    cwd = join(fnlet.dataDirectory, 'work');
    await mkdir(cwd);
  });
  after(() => fnlet[Symbol.asyncDispose]());

  function run(...args: string[]): Promise<Finished> {
    const env = { PATH: process.env.PATH ?? '', KUBECONFIG: fnlet.endpoints.kubeconfig };
    return runProgram(process.execPath, [program, ...args], { cwd, env });
  }

  async function kubeless(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, `kubeless ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async function refuse(expected: RegExp, ...args: string[]): Promise<void> {
    const { code, stderr } = await run(...args);
    assert.equal(code, 1, `kubeless ${args.join(' ')}`);
    assert.match(stderr, expected);
  }

  async function waitReady(name: string): Promise<void> {
    const isReady = async (): Promise<boolean> =>
      / 1\/1 READY\n$/.test(await kubeless('function', 'ls', name));
    await until(isReady, { what: `function ${name} to be ready`, timeoutMs: 60_000 });
  }

  const write = (name: string, content: string | Uint8Array): Promise<void> =>
    writeFile(join(cwd, name), content);
  const deploy = (name: string, ...args: string[]): Promise<string> =>
    kubeless('function', 'deploy', name, ...args);

  it('deploys, lists, calls, counts, updates and deletes a function', async () => {
    await write(
      'hello.js',
      `exports.hi = (event, context) => {
        console.log('called by', event['event-namespace']);
        return { data: event.data, word: process.env.WORD, timeout: context.timeout };
      };`,
    );
    const flags = ['-r', 'nodejs14', '--handler', 'hello.hi', '--from-file', 'hello.js'];
    const dry = await deploy('hello', ...flags, '--dryrun', '-o', 'json');
    assert.equal(JSON.parse(dry).spec.timeout, '180');
    await deploy('hello', ...flags, '--env', 'WORD=one', '--timeout', '20', '--label', 'a=b,c:d');
    await waitReady('hello');
    assert.match(
      await kubeless('function', 'list'),
      /^NAME +NAMESPACE +HANDLER +RUNTIME +DEPENDENCIES +STATUS\nhello +default +hello\.hi +nodejs14 +1\/1 READY$/m,
    );
    const answer = await kubeless('function', 'call', 'hello', '--data', '{"x":1}');
    assert.equal(answer, '{"data":{"x":1},"word":"one","timeout":20}\n');
    assert.match(await kubeless('function', 'logs', 'hello'), /called by cli\.kubeless\.io/);
    assert.match(await kubeless('function', 'top'), /^hello +default +\S*POST +1 +0 +0\.\d+/m);
    await kubeless('function', 'update', 'hello', '-e', 'WORD=two');
    await until(async () => (await kubeless('function', 'call', 'hello')).includes('"two"'), {
      what: 'the function to have its new variable',
    });
    const after = '{"data":{},"word":"two","timeout":20}\n';
    assert.equal(await kubeless('function', 'call', 'hello'), after);
    const description = await kubeless('function', 'describe', 'hello');
    assert.match(description, /^Label: +\{.*"a":"b","c":"d"\}$/m);
    await kubeless('function', 'delete', 'hello');
    await refuse(/"hello" not found/, 'function', 'call', 'hello');
  });

  it('deploys an archive with a dependency file', async () => {
    const manifest = { name: 'own', version: '1.0.0', dependencies: { lodash: '4.17.21' } };
    await write('package.json', JSON.stringify(manifest));
    const lib = "exports.kebab = require('lodash').kebabCase;";
    const main = "const { kebab } = require('./lib/text'); exports.run = (e) => kebab(e.data);";
    const archive = zipBytes([
      { path: 'main.js', content: main },
      { path: 'lib/text.js', content: lib },
    ]);
    await write('code.zip', archive);
    const handler = ['--runtime', 'nodejs14', '--handler', 'main.run'];
    await deploy('kebab', ...handler, '-f', 'code.zip', '-d', 'package.json');
    await waitReady('kebab');
    assert.match(await kubeless('function', 'ls', 'kebab'), / lodash: 4\.17\.21 /);
    assert.equal(await kubeless('function', 'call', 'kebab', '-d', 'Hello World'), 'hello-world\n');
    await kubeless('function', 'delete', 'kebab');
  });

  it('deploys a function in Python', needsPython, async () => {
    await write('greet.py', "def hi(event, context):\n  return 'hello ' + event['data']['name']\n");
    await deploy('greet', '-r', 'python3.7', '--handler', 'greet.hi', '--from-file', 'greet.py');
    await waitReady('greet');
    const answer = await kubeless('function', 'call', 'greet', '-d', '{"name":"Ada"}');
    assert.equal(answer, 'hello Ada\n');
    await kubeless('function', 'delete', 'greet');
  });

  it('deploys code from URLs, with a Secret', async () => {
    const code = `const { readFileSync } = require('node:fs');
      exports.run = () => 'the key is ' + readFileSync('/vault/key', 'utf8');`;
    const archive = zipBytes([{ path: 'main.js', content: code }]);
    const server = createServer((request, response) => {
      response.end(request.url?.startsWith('/main.zip') ? archive : code);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${Object(server.address()).port}`;
    const secret = ['create', 'secret', 'generic', 'vault', '--from-literal=key=42'];
    assert.equal((await fnlet.kubectl(secret)).code, 0);
    const flags = ['-r', 'nodejs14', '--handler', 'main.run', '--secrets', 'vault'];
    for (const place of [`${url}/main.js`, `${url}/main.zip?raw=true`]) {
      await deploy('remote', ...flags, '-f', place);
      await waitReady('remote');
      assert.equal(await kubeless('function', 'call', 'remote'), 'the key is 42\n');
      await kubeless('function', 'delete', 'remote');
      await until(async () => (await fnlet.kubectl(['get', 'fn', 'remote'])).code === 1, {
        what: 'the function to be gone',
      });
    }
    server.close();
  });

  it('calls a function by the clock and bounds its Instances', async () => {
    await write('tick.js', 'exports.run = (event) => console.log("tick", event.data);');
    const flags = ['-r', 'nodejs14', '--handler', 'tick.run', '-f', 'tick.js'];
    await deploy('tick', ...flags, '--schedule', '@yearly');
    assert.match(await kubeless('trigger', 'cronjob', 'list'), /^tick +default +@yearly +tick$/m);
    const often = ['--schedule', '@every 1s', '--payload', '{"a":1}'];
    await kubeless('trigger', 'cronjob', 'update', 'tick', ...often);
    await waitReady('tick');
    await until(async () => /tick { a: 1 }/.test(await kubeless('function', 'logs', 'tick')), {
      what: 'the function to be called',
    });
    await kubeless('trigger', 'cronjob', 'delete', 'tick');
    const create = ['trigger', 'cronjob', 'create', 'late', '--function', 'tick'];
    await kubeless(...create, '--schedule', '@yearly');
    await kubeless('autoscale', 'create', 'tick', '--min', '2', '--max', '3', '--value', '70');
    assert.match(await kubeless('autoscale', 'list'), /^tick +default +tick +2 +3 +cpu +70$/m);
    await until(async () => (await kubeless('function', 'ls', 'tick')).includes(' 2/2 READY'), {
      what: 'a second Instance',
    });
    await kubeless('autoscale', 'delete', 'tick');
    await refuse(/Not found an auto scale definition/, 'autoscale', 'delete', 'tick');
    await kubeless('function', 'delete', 'tick');
    await until(async () => !(await kubeless('trigger', 'cronjob', 'ls')).includes('late'), {
      what: 'the trigger to go with its function',
    });
  });

  it('opens a host and a path for a function, with passwords, and changes them', async () => {
    await write('door.js', 'exports.run = ({ extensions }) => extensions.request.url;');
    await deploy('door', '-r', 'nodejs14', '--handler', 'door.run', '-f', 'door.js');
    await waitReady('door');
    const http = ['trigger', 'http'];
    await kubeless(...http, 'create', 'plain', '--function-name', 'door');
    assert.match(await kubeless(...http, 'ls'), /^plain +default +door$/m);
    const ask = async (host: string, path: string, more: object = {}): Promise<unknown[]> => {
      const { port } = new URL(fnlet.endpoints.gateway);
      const asked = request({ host: '127.0.0.1', port, path, headers: { host, ...more } }).end();
      const [answer] = await once(asked, 'response');
      return [answer.statusCode, (await answer.toArray()).join('')];
    };
    const own = 'door.127.0.0.1.nip.io';
    await until(async () => (await ask(own, '/a'))[0] === 200, { what: 'the route' });
    assert.deepEqual(await ask(own, '/a/b?c=1'), [200, '/a/b?c=1']);
    // The file that htpasswd writes for the password "open".
    const users = 'ada:{SHA}X8fji//gDKRq3YkUVGSi6vdZ1cI=';
    const secret = ['create', 'secret', 'generic', 'users', `--from-literal=auth=${users}`];
    assert.equal((await fnlet.kubectl(secret)).code, 0);
    const change = ['--hostname', 'shop.example.com', '--path', '/echo'];
    await kubeless(...http, 'update', 'plain', ...change, '--basic-auth-secret', 'users');
    await until(async () => (await ask('shop.example.com', '/echo'))[0] === 401, {
      what: 'the password to be wanted',
    });
    const authorization = `Basic ${Buffer.from('ada:open').toString('base64')}`;
    assert.deepEqual(await ask('shop.example.com', '/echo/x', { authorization }), [200, '/x']);
    const gone = await ask(own, '/a');
    assert.notEqual(gone[0], 200);
    await refuse(
      /Hostname is required/,
      ...http,
      'create',
      'x',
      '--function-name',
      'door',
      '--gateway',
      'kong',
    );
    await refuse(/NotFound|not found/, ...http, 'create', 'x', '--function-name', 'nobody');
    await refuse(
      /Cannot use the HTTP trigger/,
      ...http,
      'update',
      'plain',
      '--hostname',
      'no host',
    );
    await kubeless('function', 'delete', 'door');
    await until(async () => !(await kubeless(...http, 'list')).includes('plain'), {
      what: 'the trigger to go with its function',
    });
  });

  it('answers with exit code 1 and a reason where it cannot', async () => {
    await write('x.js', 'exports.x = () => 1;');
    const own = ['function', 'deploy', 'x', '-f', 'x.js'];
    await refuse(/^kubeless: Either --runtime or --runtime-image/, ...own);
    await refuse(/You must specify --handler/, ...own, '-r', 'nodejs14');
    await refuse(/Invalid runtime: cobol/, ...own, '-r', 'cobol', '--handler', 'x.x');
    await refuse(/expected module\.function/, ...own, '-r', 'nodejs14', '--handler', 'x');
    const file = ['--handler', 'x.x', '-f', 'missing.js'];
    await refuse(/Cannot read "missing\.js"/, 'function', 'deploy', 'x', '-r', 'nodejs14', ...file);
    const url = ['--handler', 'x.x', '--from-file', 'http://127.0.0.1:50998/x.js'];
    await refuse(/Cannot read.*ECONNREFUSED/, 'function', 'deploy', 'x', '-r', 'nodejs14', ...url);
    await refuse(/missing required argument/, 'function', 'deploy');
    await refuse(/unknown option/, 'function', 'ls', '--nonsense');
    await refuse(/^kubeless: Cannot run "kubeless topic"/, 'topic', 'create', 'x');
    const place = ['--stream', 'x', '--aws-region', 'eu-central-1', '--secret', 'missing'];
    const put = ['trigger', 'kinesis', 'publish', ...place, '--partition-key', 'k'];
    await refuse(/You must specify --records/, ...put);
    await refuse(/Cannot use stream "x": secrets "missing" not found/, ...put, '--records', 'a');
    await refuse(
      /required option '--function-selector/,
      'trigger',
      'kafka',
      'create',
      'x',
      '--trigger-topic',
      'x',
    );
    await refuse(/Cannot run "kubeless topic"/, 'topic', 'create', 'x');
  });

  it('tells its version, its runtimes and how to complete it', async () => {
    assert.match(await kubeless('version'), /^Kubeless version: /);
    assert.match(await kubeless('get-server-config'), /^Supported Runtimes are: .*nodejs24/);
    assert.match(await kubeless('completion', 'bash'), /complete -o default -F _kubeless kubeless/);
    assert.equal(await kubeless('__complete', '--', 'function', 'upd'), completions);
  });
});

const completions = `${'deploy update delete list describe call logs top'.replaceAll(' ', '\n')}\n`;
