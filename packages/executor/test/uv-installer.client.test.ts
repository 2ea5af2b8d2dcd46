/** The real uv, with an index of this process. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findProgram } from '../src/find-program.ts';
import { createPipBench, needsPip, type PipBench, requirementsOf } from './pip-bench.ts';

const clients = join(import.meta.dirname, '../../../node_modules/.cache/clients');
const path = [process.env.PATH, join(clients, 'uv/bin')].join(delimiter);
const uv = findProgram('uv', path);
const needsUv =
  uv === undefined ? { skip: 'no uv on the path; .ci/clients installs it' } : needsPip;
const { signal } = new AbortController();

describe('uv', needsUv, () => {
  let bench: PipBench;
  let url = '';
  // What the index answers whatever it is asked, or 200: packages.
  let status = 200;
  const index = createServer((request, response) => {
    const [, , name = '', file] = (request.url ?? '').split('/');
    const isThere = name !== 'nobody-has-this';
    if (status !== 200 || !isThere) response.writeHead(isThere ? status : 404).end();
    else if (file) response.end(readFileSync(join(bench.wheels, file)));
    else {
      const files = readdirSync(bench.wheels).filter((each) => each.startsWith(`${name}-`));
      const links = files.map((each) => `<a href="${each}">${each}</a>`);
      response.writeHead(200, { 'content-type': 'text/html' }).end(links.join(''));
    }
  });
  before(async () => {
    await new Promise<void>((resolve) => index.listen(0, '127.0.0.1', resolve));
    const address = index.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/simple`;
    // Without a HOME nothing that somebody configured for themselves is found.
    bench = createPipBench({ PATH: `${dirname(uv ?? '')}:/usr/bin:/bin`, UV_DEFAULT_INDEX: url });
    bench.addWheel('greeting', { version: '1.5', needs: 'words>=2' });
    bench.addWheel('greeting', { version: '2.0' });
    bench.addWheel('words', { version: '2.1' });
    writeFileSync(join(bench.wheels, 'rawcode-1.0.tar.gz'), 'no archive');
  });
  after(async () => {
    index.close();
    await bench[Symbol.asyncDispose]();
  });
  const install = (text: string): Promise<string> =>
    bench.installer.install(requirementsOf(text), { signal });

  test('installs what it decided on, once, by hash', async () => {
    const lines: string[] = [];
    const onProgress = (line: string): void => {
      lines.push(line);
    };
    const source = requirementsOf('greeting<2\n');
    const installed = await bench.installer.install(source, { signal, onProgress });
    assert.ok(
      lines.some((line) => /^Resolved 2 packages/.test(line)),
      lines.join('\n'),
    );
    const module = join(installed, 'site-packages', 'words.py');
    assert.equal(readFileSync(module, 'utf8'), "name = 'words 2.1'\n");
    assert.ok(existsSync(join(installed, 'site-packages', '__pycache__')));
    const [lock = ''] = readdirSync(join(bench.directory, 'locks'));
    const locked = readFileSync(join(bench.directory, 'locks', lock), 'utf8');
    assert.match(locked, /^greeting==1\.5 \\\n {4}--hash=sha256:[\da-f]{64}\nwords==2\.1 /);
    // As after a restart, and with an index that serves nothing: all is there.
    status = 503;
    assert.equal(await bench.reopen().install(source, { signal }), installed);
    status = 200;
    // Decided once: a newer version changes nothing.
    bench.addWheel('words', { version: '2.2' });
    rmSync(installed, { recursive: true });
    assert.equal(await install('greeting<2\n'), installed);
    assert.equal(readFileSync(module, 'utf8'), "name = 'words 2.1'\n");
  });

  test('refuses what is not what was decided on', async () => {
    bench.addWheel('greeting', { version: '3.0' });
    const hash = `--hash=sha256:${'0'.repeat(64)}`;
    await assert.rejects(install(`greeting==3.0 ${hash}\n`), {
      code: 'InstallFailed',
      message: /^Cannot install dependencies: uv ended with an error[\s\S]*Hash mismatch/,
      remedy: /lock it anew/,
    });
    assert.deepEqual(
      readdirSync(bench.directory).filter((name) => name.startsWith('staging-')),
      [],
    );
  });

  test('tells what is not there, as a wheel or at all', async () => {
    for (const [text, name] of [
      ['nobody-has-this', 'nobody-has-this'],
      ['greeting>=7', 'greeting>=7'],
      ['rawcode', 'rawcode'],
    ] as const) {
      await assert.rejects(install(text), {
        code: 'DependencyNotFound',
        message: new RegExp(`^Cannot find dependency "${name}"`),
      });
    }
  });

  test('tells of versions that contradict each other', async () => {
    await assert.rejects(install('greeting<2\nwords<2\n'), {
      code: 'InstallFailed',
      message: /greeting\S* depends on words>=2/,
      remedy: /contradict/,
    });
  });

  test('tells an index that is out of order from one that wants credentials', async () => {
    for (const [answered, code] of [
      [503, 'RegistryUnreachable'],
      [401, 'RegistryDenied'],
      [403, 'RegistryDenied'],
    ] as const) {
      status = answered;
      await assert.rejects(install(`greeting!=${answered}\n`), { code }, String(answered));
    }
    status = 200;
  });

  /** What the installer printed that installed these in such an environment. */
  const printed = async (text: string, environment: Record<string, string>): Promise<string> => {
    const lines: string[] = [];
    const onProgress = (line: string): void => {
      lines.push(line);
    };
    const path = { PATH: `${dirname(uv ?? '')}:/usr/bin:/bin` };
    const installer = bench.reopen({ ...path, ...environment });
    await installer.install(requirementsOf(text), { signal, onProgress });
    return lines.join('\n');
  };

  test('understands what pip is told', async () => {
    assert.match(await printed('greeting==2.0', { PIP_INDEX_URL: url }), /^Resolved 1 package/m);
  });

  test('leaves to pip what only pip understands', async () => {
    const settings = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: bench.wheels };
    assert.match(await printed('words', settings), /^Successfully installed words/m);
  });
});
