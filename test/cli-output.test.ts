/** `-o json|yaml` of the commands whose result is no plain list of objects. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { type Finished, type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
let cwd: string;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-output-'));
  // A directory whose name has to be quoted in a shell.
  fnlet = await startFnlet({ dataDirectory: join(cwd, "it's data"), args: ['-o', 'json'] });
  await writeFile(
    join(cwd, 'echo.js'),
    `export default async (request) => {
      console.log('called: ' + request.method);
      if (request.method === 'PUT') return new Uint8Array([255, 0]);
      const headers = [['x-a', 'b'], ['set-cookie', 'c=1'], ['set-cookie', 'd=2']];
      return new Response(await request.text(), { status: 418, headers });
    };`,
  );
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<Finished> {
  return fnlet.cli(args, { cwd });
}

test('up -o json prints the endpoints and nothing else', async () => {
  // They are told to a person right after they are told to programs, in endpoints.json.
  await until(() => fnlet.output().endsWith('}\n'), { what: 'the endpoints to be printed' });
  assert.deepEqual(JSON.parse(fnlet.output()), fnlet.endpoints);
});

test('deploy, call, logs and delete print documents', async () => {
  const deployed = await run('deploy', 'echo', 'echo.js', '-o', 'json');
  assert.equal(JSON.parse(deployed.stdout).metadata.name, 'echo', deployed.stderr);

  const called = await run('call', 'echo', '-d', 'grüße', '-o', 'json');
  assert.equal(called.code, exitCodes.callFailed);
  const { status, headers, body } = JSON.parse(called.stdout);
  assert.deepEqual([status, headers['x-a'], body], [418, 'b', 'grüße']);
  assert.deepEqual(headers['set-cookie'], ['c=1', 'd=2']);
  const binary = parse((await run('call', 'echo', '-X', 'PUT', '-o', 'yaml')).stdout);
  assert.deepEqual([binary.status, binary.body, binary.encoding], [200, '/wA=', 'base64']);

  const logged = (await run('logs', 'echo', '-o', 'json')).stdout.trim().split('\n');
  const first: { instance: string; line: string } = JSON.parse(logged[0] ?? '');
  assert.match(first.instance, /^echo-/);
  assert.match(first.line, /called: POST$/);
  const documents = parseAllDocuments((await run('logs', 'echo', '-o', 'yaml')).stdout);
  assert.equal(Array.from(documents).length, 2);

  const gone = await run('delete', 'echo', '-o', 'yaml');
  const { kind, metadata } = parse(gone.stdout);
  assert.deepEqual([kind, metadata.name], ['Function', 'echo']);
});

test('delete prints what is gone, also when a later name does not exist', async () => {
  await run('deploy', 'one', 'echo.js');
  const finished = await run('delete', 'one', 'nobody', '-o', 'json');
  assert.equal(finished.code, exitCodes.notFound);
  const { kind, items } = JSON.parse(finished.stdout);
  assert.deepEqual([kind, items[0].metadata.name, items.length], ['List', 'one', 1]);
});
