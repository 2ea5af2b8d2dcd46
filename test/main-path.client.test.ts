/** The main job, as a user of kubectl and curl sees it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { functionManifest } from './function-manifest.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet();
});
after(() => fnlet[Symbol.asyncDispose]());

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function apply(manifest: string): Promise<void> {
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input: manifest });
  assert.equal(code, 0, stderr);
}

const helloWorld = `module.exports = {
  main: function (event, context) {
    console.log('called as', context['function-name']);
    return "Hello World!";
  }
}
`;

test('a Function is applied, called, looked at and deleted', async () => {
  await apply(functionManifest('hello', { source: { inline: helloWorld } }));
  await kubectl('wait', '--for=condition=Ready', 'fn/hello', '--timeout=10s');
  const answer = await fetch(`${fnlet.endpoints.gateway}/default/hello`);
  assert.deepEqual([answer.status, await answer.text()], [200, 'Hello World!']);

  const columns = await kubectl('get', 'fn');
  assert.match(columns, /^NAME\s+READY\s+.*\bAGE\n/);
  assert.match(columns, /hello\s+True\s+.*nodejs24/);

  const pods = await kubectl('get', 'pods', '-l', 'fnlet.dev/function=hello');
  assert.match(pods, /hello-\S+\s+1\/1\s+Running\s+0\s/);
  const pod = (await kubectl('get', 'pods', '-l', 'fnlet.dev/function=hello', '-o', 'name')).trim();
  assert.match(await kubectl('logs', pod), /called as hello/);

  const description = await kubectl('describe', 'fn', 'hello');
  assert.match(description, /Type:\s+Ready/);
  assert.match(description, /Events:\n\s+Type\s+Reason/);
  assert.match(await kubectl('explain', 'function.spec.scale'), /FIELDS:[\s\S]*idleAfter/);

  await kubectl('delete', 'fn', 'hello', '--timeout=20s');
  for (const kind of ['fn', 'revisions', 'pods', 'services']) {
    // The API has a Service of its own.
    const others = kind === 'services' ? ['--field-selector', 'metadata.name!=kubernetes'] : [];
    await until(async () => (await kubectl('get', kind, ...others, '-o', 'name')) === '', {
      what: `no ${kind} to be left`,
    });
  }
  assert.equal((await fetch(`${fnlet.endpoints.gateway}/default/hello`)).status, 404);
});

test('the context tells a handler who it is', async () => {
  const inline = `module.exports = { main: (event, context) =>
    \`\${context['function-name']} on \${context.runtime}\` }`;
  await apply(functionManifest('who', { source: { inline } }));
  await kubectl('wait', '--for=condition=Ready', 'fn/who', '--timeout=10s');
  const answer = await fetch(`${fnlet.endpoints.gateway}/default/who`);
  assert.equal(await answer.text(), 'who on nodejs24');
  await kubectl('delete', 'fn', 'who');
});

test('an applied change is the same object with a new Revision', async () => {
  const source = (text: string): string =>
    functionManifest('edit', { source: { inline: `export default () => '${text}'` } });
  await apply(source('one'));
  await kubectl('wait', '--for=condition=Ready', 'fn/edit', '--timeout=10s');
  const first = await kubectl('get', 'fn', 'edit', '-o', 'jsonpath={.status.revision}');
  await apply(source('two'));
  await until(
    async () => (await kubectl('get', 'fn', 'edit', '-o', 'jsonpath={.status.revision}')) !== first,
    { what: 'the new Revision' },
  );
  await kubectl('wait', '--for=condition=Ready', 'fn/edit', '--timeout=10s');
  assert.equal(await (await fetch(`${fnlet.endpoints.gateway}/default/edit`)).text(), 'two');
  await kubectl('delete', 'fn', 'edit');
});

test('kubectl says what is wrong with a manifest', async () => {
  const cases: [string, string, RegExp][] = [
    [
      'a runtime that is no name',
      functionManifest('bad', { runtime: 'cobol 85', source: { inline: 'x' } }),
      /spec\.runtime: Invalid value: "cobol 85"/,
    ],
    [
      'two sources',
      functionManifest('bad', { source: { inline: 'x', files: { 'a.js': 'x' } } }),
      /exactly one/,
    ],
    ['no source', functionManifest('bad', { source: {} }), /exactly one/],
    [
      'empty handler',
      functionManifest('bad', { handler: '', source: { inline: 'x' } }),
      /spec\.handler/,
    ],
    [
      'unknown field',
      functionManifest('bad', { sorce: {}, source: { inline: 'x' } }),
      /unknown field "spec\.sorce"/,
    ],
  ];
  for (const [name, manifest, message] of cases) {
    const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input: manifest });
    assert.equal(code, 1, name);
    assert.match(stderr, message, name);
  }
});
