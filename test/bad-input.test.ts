/** Bad input: a clear message each time, and nothing lost. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

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

const urlOf = (name: string): string => `${fnlet.endpoints.gateway}/default/${name}`;

test('a syntax error names file and line, and the previous Revision keeps serving', async () => {
  await api.applyFunction('syntax', {
    source: { files: { 'handler.js': "export default () => 'v1';" } },
  });
  await api.waitReady('syntax');
  const broken = "export default () => {\n  return 'v2';\n}}\n";
  await api.applyFunction('syntax', { source: { files: { 'handler.js': broken } } });
  const condition = await api.waitNotReady('syntax');
  assert.equal(condition.reason, 'LoadFailed');
  assert.match(condition.message, /handler\.js:3.*Unexpected token/);
  assert.equal(await (await fetch(urlOf('syntax'))).text(), 'v1');
});

test('a syntax error in TypeScript names file and line too', async () => {
  const broken = 'const a: number = 1;\n\nexport default (: string) => a;\n';
  await api.applyFunction('syntax-ts', { source: { files: { 'handler.ts': broken } } });
  const condition = await api.waitNotReady('syntax-ts');
  assert.match(condition.message, /handler\.ts:3/);
});

test('a missing export lists what is there', async () => {
  await api.applyFunction('missing', {
    handler: 'serve',
    source: { files: { 'handler.js': 'export const server = () => 1;' } },
  });
  const condition = await api.waitNotReady('missing');
  assert.equal(condition.reason, 'LoadFailed');
  assert.match(condition.message, /serve.*server/s);
});

test('a module that throws while loading: the condition says where', async () => {
  const source = "\nthrow new Error('no database');\n";
  await api.applyFunction('throws', { source: { files: { 'handler.js': source } } });
  const condition = await api.waitNotReady('throws');
  assert.match(condition.message, /handler\.js:2.*no database/s);
});

test('a broken package.json says where', async () => {
  await api.applyFunction('manifest', {
    source: { inline: 'export default () => 1;' },
    dependencies: '{"dependencies": {"lodash": "4",}}',
  });
  const condition = await api.waitNotReady('manifest');
  assert.match(condition.message, /package\.json|dependencies/);
  assert.match(condition.message, /JSON/);
});

test('a function that never was ready answers 503 with the reason', async () => {
  const answer = await fetch(urlOf('throws'));
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /LoadFailed/);
});

test('an unknown function answers 404', async () => {
  const answer = await fetch(urlOf('nobody'));
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), /nobody/);
});

test('source travels byte for byte', async () => {
  const text = '$(HOME) $$ $${x} `back` \\n \' " %s \u00e9 \u{1f600} \r\n end';
  const inline = `export default () => new Response(${JSON.stringify(text)});\n// ${'$(HOME) $$ `x`'}`;
  await api.applyFunction('bytes', { source: { inline } });
  await api.waitReady('bytes');
  assert.equal(await (await fetch(urlOf('bytes'))).text(), text);
  const own = `import { readFileSync } from 'node:fs';
const own = import.meta.filename;
export default () => readFileSync(own, 'utf8');\n// $(HOME) $$ \`x\` \\n\n`;
  await api.applyFunction('own', { source: { files: { 'handler.js': own } } });
  await api.waitReady('own');
  assert.equal(await (await fetch(urlOf('own'))).text(), own);
});

test('a 1 MiB inline source works', async () => {
  const inline = `const data = '${'x'.repeat(1024 * 1024)}';\nexport default () => String(data.length);`;
  await api.applyFunction('large', { source: { inline } });
  await api.waitReady('large');
  assert.equal(await (await fetch(urlOf('large'))).text(), String(1024 * 1024));
});

test('a 10 MB body against the 6 MB limit is refused with 413, streamed or not', async () => {
  await api.applyFunction('sink', {
    source: { inline: 'export default async (request) => String((await request.text()).length);' },
  });
  await api.waitReady('sink');
  const post = (body: string): Promise<Response> => fetch(urlOf('sink'), { method: 'POST', body });
  const five = await post('x'.repeat(5_000_000));
  assert.deepEqual([five.status, await five.text()], [200, '5000000']);
  const ten = await post('x'.repeat(10_000_000)).then(
    ({ status }) => status,
    () => 413, // The server may close before the client has sent everything.
  );
  assert.equal(ten, 413);
  const still = await post('small');
  assert.deepEqual([still.status, await still.text()], [200, '5']);
});

test('a port in use and a data directory in use are told at once', async () => {
  const port = new URL(fnlet.endpoints.gateway).port;
  await assert.rejects(
    startFnlet({ args: ['--http-port', port] }),
    (error) =>
      error instanceof Error && error.message.includes(port) && /in use/.test(error.message),
  );
  const second = await fnlet.cli([
    ...['up', '--data-dir', fnlet.dataDirectory],
    ...['--api-port', '0', '--http-port', '0', '--dashboard-port', '0'],
  ]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, new RegExp(`${fnlet.endpoints.pid}`));
});
