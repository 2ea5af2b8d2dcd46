/** Sources that do not fit into an object: uploaded, unpacked, and there after a restart. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zipBytes } from '../packages/executor/test/archive-bytes.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { functionManifest } from './function-manifest.ts';
import { until } from './until.ts';

let dataDirectory: string;
let fnlet: FnletProcess;
let source: string;

before(async () => {
  dataDirectory = await makeDataDirectory();
  fnlet = await startFnlet({ dataDirectory });
  source = await mkdtemp(join(tmpdir(), 'large-source-'));
});

after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(source, { recursive: true });
});

const handler = `import { readFile } from 'node:fs/promises';
export default async (): Promise<string> => {
  const data = await readFile(new URL('data/large.bin', import.meta.url));
  return data.length + ' ' + data[4_000_000];
};
`;

async function call(name: string): Promise<string> {
  return (await fetch(`${fnlet.endpoints.gateway}/default/${name}`)).text();
}

test('a directory of megabytes, binary files among them, is deployed as it is', async () => {
  const data = randomBytes(5_000_000);
  await mkdir(join(source, 'data'));
  await writeFile(join(source, 'handler.ts'), handler);
  await writeFile(join(source, 'data', 'large.bin'), data);
  const first = await fnlet.cli(['deploy', 'large', source]);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stderr, /uploading \d+ KiB/);
  assert.equal(await call('large'), `5000000 ${data[4_000_000]}`);
  const again = await fnlet.cli(['deploy', 'large', source]);
  assert.match(again.stderr, /function\/large unchanged/);
  assert.doesNotMatch(again.stderr, /uploading/);
  await writeFile(join(source, 'handler.ts'), "export default () => 'small';\n");
  await rm(join(source, 'data'), { recursive: true });
  const small = await fnlet.cli(['deploy', 'large', source]);
  assert.equal(small.code, 0, small.stderr);
  assert.equal(await call('large'), 'small');
});

test('what was uploaded is there after a restart, and after its copies were lost', async () => {
  await writeFile(join(source, 'handler.ts'), "export default () => 'kept';\n");
  await writeFile(join(source, 'picture.png'), randomBytes(100));
  const deployed = await fnlet.cli(['deploy', 'kept', source]);
  assert.equal(deployed.code, 0, deployed.stderr);
  await fnlet.stop();
  await rm(join(dataDirectory, 'artifacts'), { recursive: true });
  fnlet = await startFnlet({ dataDirectory });
  assert.equal(await call('kept'), 'kept');
});

test('an artifact that nobody uploaded, and a false one, are told as such', async () => {
  const digest = 'a'.repeat(64);
  const spec = { source: { artifact: `sha256:${digest}` } };
  await fnlet.kubectl(['apply', '-f', '-'], { input: functionManifest('nobody', spec) });
  const found = await until(
    async () => {
      const { stdout } = await fnlet.cli(['describe', 'nobody']);
      return stdout.includes('SourceNotFound') ? stdout : undefined;
    },
    { what: 'the missing upload to be told' },
  );
  assert.match(found, /found no such upload in this namespace/);
  const path = `/apis/artifacts.fnlet.dev/v1alpha1/namespaces/default/artifacts/${digest}`;
  const part = JSON.stringify({ offset: 0, data: 'eA==', last: true });
  const put = await fnlet.kubectl(['replace', '--raw', path, '-f', '-'], { input: part });
  assert.match(
    put.stderr,
    /found sha256 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881/,
  );
});

test('an archive within a Function is unpacked, and a hostile one is refused', async () => {
  const zip = zipBytes([{ path: 'app/handler.js', content: "module.exports = () => 'zip';" }]);
  const archive = { data: zip.toString('base64'), directory: 'app' };
  const manifest = functionManifest('zipped', { source: { archive } });
  await fnlet.kubectl(['apply', '-f', '-'], { input: manifest });
  await until(async () => (await call('zipped')) === 'zip', { what: 'the archive to answer' });
  const evil = zipBytes([{ path: '../../evil.js', content: '' }]).toString('base64');
  const hostile = functionManifest('hostile', { source: { archive: { data: evil } } });
  await fnlet.kubectl(['apply', '-f', '-'], { input: hostile });
  const found = await until(
    async () => {
      const { stdout } = await fnlet.cli(['describe', 'hostile']);
      return stdout.includes('SourceInvalid') ? stdout : undefined;
    },
    { what: 'the hostile archive to be refused' },
  );
  assert.match(found, /broken zip archive/);
});
