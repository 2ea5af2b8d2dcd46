/** Events from outside that wake objects of an Operator: a Trigger whose target is an Operator. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

/** What it makes of an object depends on something outside the cluster: a file. */
const mirror = `
import { readFile } from 'node:fs/promises';
import { defineKind, field, operator } from 'fnlet/operator';

export const Mirror = defineKind({
  group: 'example.dev', version: 'v1', kind: 'Mirror', description: 'A file in the status.',
  spec: { file: field.text('Which file.') },
  status: { text: field.text('What is in it.') },
});

export default operator(Mirror, {
  async reconcile({ object: { spec } }) {
    return { status: { text: await readFile(spec.file, 'utf8') } };
  },
});
`;

let fnlet: FnletProcess;
let cwd: string;
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'fnlet-operator-events-'));
  fnlet = await startFnlet();
});
after(async () => {
  await fnlet[Symbol.asyncDispose]();
  await rm(cwd, { recursive: true, force: true });
});

async function kubectl(args: readonly string[], input?: object): Promise<string> {
  const piped = input === undefined ? {} : { input: JSON.stringify(input) };
  const { code, stdout, stderr } = await fnlet.kubectl(args, piped);
  assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

async function operator(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.cli(['operator', ...args], { cwd });
  assert.equal(code, 0, `fnlet operator ${args.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

function triggerOf(name: string, events: object, object: string): object {
  const paths = [{ prefix: `/${name}` }];
  const target = { operator: 'mirrors', object };
  const spec = { source: { http: { paths, events } }, target };
  return { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger', metadata: { name }, spec };
}

async function textIs(text: string): Promise<void> {
  const get = ['get', 'mirror', 'notes', '-o', 'jsonpath={.status.text}'];
  await until(async () => (await fnlet.kubectl(get)).stdout === text, { what: text });
}

async function push(path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const url = `${fnlet.endpoints.gateway}${path}`;
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.text();
  return answer.status;
}

test('a webhook wakes the object that it names, in its body or in its path', async () => {
  const file = join(cwd, 'notes.txt');
  await writeFile(file, 'one');
  await writeFile(join(cwd, 'mirror.ts'), mirror);
  await operator('deploy', 'mirror.ts');
  const metadata = { name: 'notes', namespace: 'default' };
  const apiVersion = 'example.dev/v1';
  await kubectl(['apply', '-f', '-'], { apiVersion, kind: 'Mirror', metadata, spec: { file } });
  await textIs('one');

  const body = { format: 'webhook' };
  await kubectl(['apply', '-f', '-'], triggerOf('pushes', body, 'event.data.repository.name'));
  const path = { format: 'webhook', webhook: { subject: 'path' } };
  await kubectl(['apply', '-f', '-'], triggerOf('pulls', path, 'event.subject'));
  const ready = ['wait', '--for=condition=Ready', 'trigger/pushes', 'trigger/pulls'];
  await kubectl([...ready, '--timeout=30s']);

  await writeFile(file, 'two');
  assert.equal(await push('/pushes', '{"repository": {"name": "notes"}}'), 202);
  await textIs('two');
  const explained = await until(
    async () => {
      const text = await operator('explain', 'mirrors', 'notes');
      return text.includes('Trigger') ? text : undefined;
    },
    { what: 'the cause of the run' },
  );
  assert.match(explained, /Trigger default\/pushes \(dev\.fnlet\.webhook \w+\) asked for it/);

  await writeFile(file, 'three');
  assert.equal(await push('/pulls/notes', ''), 202);
  await textIs('three');
  const columns = await kubectl(['get', 'trigger', 'pulls', '--no-headers']);
  assert.match(columns, /operator\/mirrors/);
});
