/** Programs in Go, built on the libraries of the Kubernetes project, against the embedded API. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startFnlet } from './fnlet-process.ts';

const run = promisify(execFile);
const clients = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients');

async function output(
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  await using fnlet = await startFnlet();
  const { kubeconfig } = fnlet.endpoints;
  try {
    const { stdout } = await run(join(clients, program), [], {
      env: { KUBECONFIG: kubeconfig, HOME: '/nonexistent', ...env },
    });
    return stdout;
  } catch (error) {
    const printed = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    throw new Error(`${program} failed:\n${printed}`, { cause: error });
  }
}

function absent(program: string): string | false {
  return !existsSync(join(clients, program)) && `${program} is not here: run .ci/clients`;
}

describe('client-go', { skip: absent('client-go') }, () => {
  for (const watchList of ['true', 'false']) {
    it(`finds nothing amiss, with streaming lists ${watchList === 'true' ? 'on' : 'off'}`, async () => {
      const printed = await output('client-go', { KUBE_FEATURE_WatchListClient: watchList });
      assert.doesNotMatch(printed, /^failed/m);
      assert.equal(printed.match(/^ok /gm)?.length, 15, printed);
    });
  }
});

describe('controller-runtime', { skip: absent('controller-runtime') }, () => {
  it('runs an operator with children, a finalizer, a status and leader election', async () => {
    const printed = await output('controller-runtime');
    assert.equal(printed.match(/^ok /gm)?.length, 4, printed);
  });
});
