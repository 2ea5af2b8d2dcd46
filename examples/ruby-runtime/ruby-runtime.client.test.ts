/** The runtime that is added: it keeps the contract, and runs Functions like any other. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { runnerContract } from '../../packages/invocation/test/runner-contract.ts';
import { createApi, type TestApi } from '../../test/api-access.ts';
import { type FnletProcess, startFnlet } from '../../test/fnlet-process.ts';
import { until } from '../../test/until.ts';

const path = (file: string): string => join(import.meta.dirname, file);

const read = (file: string): string => readFileSync(path(file), 'utf8');

interface RuntimeManifest {
  readonly spec: { readonly files: Readonly<Record<string, string>> };
}

if (spawnSync('ruby', ['--version']).status === 0) {
  addContractTests();
  addFunctionTests();
} else {
  test('Ruby runs Functions', { skip: 'ruby is not on the path' }, () => {});
}

function addContractTests(): void {
  const directory = mkdtempSync(join(tmpdir(), 'ruby-runtime-'));
  after(() => rmSync(directory, { recursive: true }));
  const { spec }: RuntimeManifest = parse(read('runtime.yaml'));
  for (const [name, text] of Object.entries(spec.files)) writeFileSync(join(directory, name), text);
  runnerContract({
    name: 'the Ruby Runner',
    program: ['ruby', join(directory, 'runner.rb')],
    contractFunction: { files: { 'handler.rb': read('contract.rb') } },
    broken: {
      files: { 'handler.rb': 'a = 1\ndef def\n' },
      file: 'handler.rb',
      line: 2,
    },
    withoutHandler: { files: { 'handler.rb': 'def other; end' }, handler: 'main' },
  });
}

function addFunctionTests(): void {
  let fnlet: FnletProcess;
  let api: TestApi;
  before(async () => {
    fnlet = await startFnlet();
    api = await createApi(fnlet.endpoints.kubeconfig);
  });
  after(async () => {
    await api.close();
    await fnlet[Symbol.asyncDispose]();
  });

  async function kubectl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await fnlet.kubectl(args);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  const call = async (name: string, query = ''): Promise<Response> =>
    fetch(`${fnlet.endpoints.gateway}/default/${name}${query}`);

  test('a Function in Ruby waits for its runtime, and answers once it is added', async () => {
    await kubectl('apply', '-f', path('function.yaml'));
    assert.equal((await api.waitNotReady('hello-ruby')).reason, 'UnknownRuntime');
    await kubectl('apply', '-f', path('runtime.yaml'));
    await kubectl('wait', '--for=condition=Ready', 'fn/hello-ruby', '--timeout=20s');
    const answer = await call('hello-ruby', '?name=Ada');
    assert.match(await answer.text(), /^\{"message":"Hello Ada!","ruby":"\d.*"hello-ruby"\}$/);
    assert.match(await kubectl('get', 'runtimes'), /^ruby\s+found\s+\/\S+ruby\s/m);
    assert.match(await kubectl('get', 'runtimes'), /^nodejs24\s+own\s+24\./m);
  });

  test('an alias, a broken file and a handler by name are as in other languages', async () => {
    const greet = 'def greet(request, context) = "#{context.runtime}: #{request.body}"\n';
    await api.applyFunction('alias', {
      runtime: 'ruby2.5',
      handler: 'greeting.greet',
      source: { files: { 'greeting.rb': greet } },
    });
    await api.waitReady('alias');
    const url = `${fnlet.endpoints.gateway}/default/alias`;
    assert.equal(await (await fetch(url, { method: 'POST', body: 'hi' })).text(), 'ruby2.5: hi');
    await api.applyFunction('broken', { runtime: 'ruby', source: { inline: 'a = 1\ndef def\n' } });
    const failure = await api.waitNotReady('broken');
    assert.equal(failure.reason, 'LoadFailed');
    assert.match(failure.message, /handler\.rb:2/);
  });

  test('the least Runner, as docs/runtimes.md has it, answers calls', async () => {
    const page = readFileSync(path('../../docs/runtimes.md'), 'utf8');
    const [, text = ''] = /^```ruby\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const runtime = {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Runtime',
      metadata: { name: 'least' },
      spec: { command: ['ruby', 'least.rb'], files: { 'least.rb': text }, extensions: ['.rb'] },
    };
    const { stderr } = await fnlet.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify(runtime),
    });
    assert.equal(stderr, '');
    const inline = 'def handler(path) = "at #{path} with #{ENV.to_h}"';
    await until(async () => (await kubectl('get', 'rt')).includes('least'), {
      what: 'the runtime to be known',
    });
    await api.applyFunction('least', { runtime: 'least', source: { inline } });
    await api.waitReady('least');
    assert.equal(await (await call('least', '/here')).text(), 'at /here with {}');
  });

  test('a changed Runtime starts the next Instances, and only administrators change it', async () => {
    const anybody = ['--as=somebody', '--as-group=system:authenticated'];
    assert.equal((await fnlet.kubectl(['get', 'runtimes', ...anybody])).code, 1);
    const edit = [
      'create',
      'clusterrolebinding',
      'edit-all',
      '--clusterrole=edit',
      '--user=editor',
    ];
    await kubectl(...edit);
    await kubectl('get', 'runtimes', '--as=editor');
    const deletion = await fnlet.kubectl(['delete', 'runtime', 'ruby', '--as=editor']);
    assert.match(deletion.stderr, /forbidden/i);
    await kubectl('delete', 'runtime', 'ruby');
    await until(async () => (await api.waitNotReady('hello-ruby')).reason === 'UnknownRuntime', {
      what: 'the Function to miss its runtime',
    });
    assert.equal((await call('hello-ruby')).status, 200);
  });
}
