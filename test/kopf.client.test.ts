/** Operators of kopf's own examples, unchanged, against the embedded API. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const clients = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients');
const kopf = join(clients, 'kopf', 'bin', 'kopf');
const source = existsSync(clients)
  ? readdirSync(clients).find((name) => /^kopf-[\d.]+\d$/.test(name))
  : undefined;
const examples = join(clients, source ?? '', 'examples');
const skip = (source === undefined || !existsSync(kopf)) && 'kopf is not here: run .ci/clients';

/** A running example operator. */
interface Operator extends AsyncDisposable {
  output(): string;
}

describe('kopf', { skip }, () => {
  let fnlet: FnletProcess;
  before(async () => {
    fnlet = await startFnlet();
    await kubectl('apply', '-f', join(examples, 'crd.yaml'));
    await kubectl('wait', '--for=condition=Established', 'crd/kopfexamples.kopf.dev');
  });
  after(() => fnlet[Symbol.asyncDispose]());

  async function kubectl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await fnlet.kubectl(args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  function startOperator(example: string): Operator {
    const program = join(examples, example, 'example.py');
    const child = spawn(kopf, ['run', '--verbose', '--namespace=default', program], {
      env: {
        PATH: process.env.PATH ?? '',
        KUBECONFIG: fnlet.endpoints.kubeconfig,
        PYTHONUNBUFFERED: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
    }
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    return {
      output: () => printed.join(''),
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }

  function field(path: string): Promise<string> {
    return kubectl('get', 'kopfexample', 'kopf-example-1', '-o', `jsonpath={${path}}`);
  }

  const says = (operator: Operator, text: string): Promise<unknown> =>
    until(() => operator.output().includes(text), { what: `"${text}" from\n${operator.output()}` });

  it('01-minimal writes what its handler returns into the status', async () => {
    await using operator = startOperator('01-minimal');
    await kubectl('apply', '-f', join(examples, 'obj.yaml'));
    await until(async () => (await field('.status.create_fn.message')) === 'hello world', {
      what: 'the status to be written',
    });
    assert.match(await kubectl('get', 'kex'), /kopf-example-1\s+1m\s+hello world/);
    assert.doesNotMatch(operator.output(), /Traceback|ERROR/);
    await kubectl('delete', 'kex', '--all', '--timeout=20s');
  });

  it('02-children makes a Pod, which goes with its owner', async () => {
    await using operator = startOperator('02-children');
    await kubectl('apply', '-f', join(examples, 'obj.yaml'));
    await until(async () => (await field('.status.create_fn.children')) !== '', {
      what: 'the child to be told',
    });
    const pods = await kubectl('get', 'pods', '-o', 'name');
    assert.match(pods, /^pod\/kopf-example-1-\w+$/m);
    await kubectl('delete', 'kex', '--all', '--timeout=20s');
    await until(async () => !(await kubectl('get', 'pods', '-o', 'name')).includes('kopf-'), {
      what: 'the child to go with its owner',
      timeoutMs: 60_000,
    });
    assert.doesNotMatch(operator.output(), /Traceback|ERROR/);
  });

  it('05-handlers sees creation, each change of a field, and deletion by its finalizer', async () => {
    await using operator = startOperator('05-handlers');
    await kubectl('apply', '-f', join(examples, 'obj.yaml'));
    await says(operator, 'CREATED 2nd');
    const patch = '{"spec":{"field":"other"}}';
    await kubectl('patch', 'kex', 'kopf-example-1', '--type=merge', '-p', patch);
    await says(operator, 'FIELD CHANGED: value -> other');
    await says(operator, 'UPDATED');
    assert.match(await field('.metadata.finalizers'), /kopf/);
    await kubectl('delete', 'kex', '--all', '--timeout=20s');
    await says(operator, 'DELETED 2nd');
  });

  it('14-daemons stops a daemon before its object goes', async () => {
    await using operator = startOperator('14-daemons');
    await kubectl('apply', '-f', join(examples, 'obj.yaml'));
    await says(operator, '=> Ping from');
    await kubectl('delete', 'kex', '--all', '--timeout=60s');
    await says(operator, "Daemon 'background_sync' has exited");
  });
});
