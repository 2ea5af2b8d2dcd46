/** The command `fnlet` as people type it: what it prints, where, and its exit codes. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { type Finished, type FnletProcess, startFnlet } from './fnlet-process.ts';

let fnlet: FnletProcess;
let cwd: string;
before(async () => {
  fnlet = await startFnlet();
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-cli-'));
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<Finished> {
  return fnlet.cli(args, { cwd });
}

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.equal(code, 0, `fnlet ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

test('init, deploy, call, logs, ls, describe and delete work one after the other', async () => {
  await succeed('init', 'greeter');
  const url = await succeed('deploy', 'greeter', 'greeter');
  assert.equal(url, `${fnlet.endpoints.gateway}/default/greeter\n`);
  assert.equal(await succeed('call', 'greeter', '--path', '/?name=Ada'), 'Hello Ada!\n');
  assert.match(await succeed('logs', 'greeter'), /greeting Ada/);
  // With -f as well: what is over has nothing to follow.
  for (const flags of [['--previous'], ['-f', '--previous']]) {
    const previous = await run('logs', 'greeter', ...flags);
    assert.deepEqual([previous.code, previous.stdout], [exitCodes.failed, '']);
    assert.match(previous.stderr, /No log of greeter-.*: it was not restarted/);
  }
  assert.match(await succeed('ls'), /^NAME +READY.*\ngreeter +True +Ready +nodejs24 +1 +http/);
  assert.equal(await succeed('ls', '-o', 'name'), 'function.fnlet.dev/greeter\n');
  const object: unknown = JSON.parse(await succeed('describe', 'greeter', '-o', 'json'));
  assert.match(JSON.stringify(object), /"kind":"Function"/);
  const description = await succeed('describe', 'greeter');
  for (const text of ['Ready:', 'Instances:', 'Events:', 'RevisionReady']) {
    assert.ok(description.includes(text), text);
  }
  await succeed('delete', 'greeter');
  assert.equal((await run('describe', 'greeter')).code, exitCodes.notFound);
  await succeed('deploy', 'greeter', 'greeter');
  const events = (await succeed('describe', 'greeter')).match(/RevisionCreated/g);
  assert.equal(events?.length, 1, 'the Events of the Function that was deleted are not its own');
});

test('runtimes lists what there is, and deploy knows by its files what a source is meant for', async () => {
  assert.match(await succeed('runtimes'), /^NAME +STATE.*\n(.*\n)*nodejs24 +own +24\.\d/);
  assert.match(await succeed('runtimes', '-o', 'name'), /^runtime\.fnlet\.dev\/nodejs22$/m);
  await succeed('init', 'snake', '--template', 'python');
  await run('deploy', 'snake', 'snake', '--no-wait');
  const snake = await succeed('describe', 'snake', '-o', 'json');
  assert.match(snake, /"runtime": "python3\.1\d"/);
  const retired = await run('deploy', 'old', 'greeter', '--runtime', 'nodejs14');
  assert.match(retired.stderr, /Runtime nodejs14 is retired: the code runs on nodejs24/);
});

test('deploying a second time changes only what changed', async () => {
  const file = join(cwd, 'twice.js');
  await writeFile(file, "export default () => 'one';");
  await succeed('deploy', 'twice', file);
  const unchanged = await run('deploy', 'twice', file);
  assert.match(unchanged.stderr, /function\/twice unchanged/);
  await writeFile(file, "export default () => 'two';");
  const changed = await run('deploy', 'twice', file);
  assert.match(changed.stderr, /function\/twice configured/);
  assert.equal(await succeed('call', 'twice'), 'two');
});

test('secret values live in a Secret that goes with the Function', async () => {
  const file = join(cwd, 'secretive.js');
  await writeFile(file, "export default () => process.env.OPEN + ' ' + process.env.HIDDEN;");
  const flags = ['--env', 'OPEN=a=b', '--from-literal', 'HIDDEN=$(x) $$'];
  await succeed('deploy', 'secretive', file, ...flags);
  assert.equal(await succeed('call', 'secretive'), 'a=b $(x) $$');
  assert.doesNotMatch(await succeed('describe', 'secretive', '-o', 'yaml'), /\$\(x\)/);
});

test('call sends data and headers, and its exit code tells of a failure', async () => {
  const file = join(cwd, 'echo.js');
  await writeFile(
    file,
    `export default async (request) => {
      if (request.method === 'DELETE') return new Response('no', { status: 418 });
      return [request.method, request.headers.get('x-a'), await request.text()].join('|');
    };`,
  );
  await succeed('deploy', 'echo', file);
  assert.equal(await succeed('call', 'echo', '-d', 'body', '-H', 'X-A: b'), 'POST|b|body');
  const fromStdin = await fnlet.cli(['call', 'echo', '-d', '@-'], { cwd, input: 'piped' });
  assert.equal(fromStdin.stdout, 'POST||piped');
  const refused = await run('call', 'echo', '-X', 'DELETE');
  assert.deepEqual([refused.code, refused.stdout], [exitCodes.callFailed, 'no']);
  await expectFailure(['call', 'echo', '-X', 'BAD METHOD'], exitCodes.usage, /BAD METHOD/);
  await expectFailure(['call', 'echo', '-X', 'GET', '-d', 'x'], exitCodes.usage, /GET.*body/);
  await expectFailure(['call', 'echo', '-H', 'A: \u65e5'], exitCodes.usage, /no header may hold/);
});

test('each kind of failure has its exit code and says what to do', async () => {
  const file = join(cwd, 'broken.js');
  await writeFile(file, 'export default () => {');
  const outcomes: [readonly string[], number, RegExp][] = [
    [['deploy', 'broken', file], exitCodes.notReady, /LoadFailed.*broken\.js[\s\S]*fnlet describe/],
    [['deploy', 'x', 'nowhere'], exitCodes.usage, /no such file[\s\S]*fnlet init/],
    [['deploy', 'x', file, '--env', 'novalue'], exitCodes.usage, /expected KEY=VALUE/],
    [['call', 'nobody'], exitCodes.notFound, /not found[\s\S]*fnlet ls/],
    [['call'], exitCodes.usage, /missing required argument/],
    [['nonsense'], exitCodes.usage, /unknown command/],
    [['ls', '--kubeconfig', '/nowhere'], exitCodes.unreachable, /fnlet up/],
    [['ls', '--context', 'other'], exitCodes.unreachable, /other[\s\S]*--context/],
  ];
  for (const [args, code, message] of outcomes) {
    await expectFailure(args, code, message);
  }
});

test('every command says when there is no API, or not the namespace', async () => {
  const source = join(cwd, 'fine.js');
  const nobody = join(cwd, 'nobody.yaml');
  await writeFile(source, "export default () => 'fine';");
  const kubeconfig = await readFile(fnlet.endpoints.kubeconfig, 'utf8');
  // Port 1 is reserved, and nobody listens there.
  await writeFile(nobody, kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'));
  const commands = [
    ['ls'],
    ['call', 'x'],
    ['logs', 'x'],
    ['logs', '-f', 'x'],
    ['describe', 'x'],
    ['delete', 'x'],
    ['deploy', 'x', source],
    ['dev', source],
  ];
  await Promise.all(
    commands.flatMap((command) => [
      expectFailure(
        [...command, '--kubeconfig', nobody],
        exitCodes.unreachable,
        /Check that an API/,
      ),
      expectFailure([...command, '-n', 'nowhere'], exitCodes.notFound, /kubectl create|fnlet ls/),
    ]),
  );
});

async function expectFailure(
  args: readonly string[],
  code: number,
  message: RegExp,
): Promise<void> {
  const finished = await run(...args);
  assert.equal(finished.code, code, `fnlet ${args.join(' ')}: ${finished.stderr}`);
  assert.match(finished.stderr, message, args.join(' '));
}

test('an inline source that kubectl applied is replaced by deployed files', async () => {
  const api = await import('./api-access.ts');
  const access = await api.createApi(fnlet.endpoints.kubeconfig);
  await access.applyFunction('both', { source: { inline: "export default () => 'inline';" } });
  await access.waitReady('both');
  const file = join(cwd, 'both.js');
  await writeFile(file, "export default () => 'files';");
  await succeed('deploy', 'both', file);
  assert.equal(await succeed('call', 'both'), 'files');
  await access.close();
});
