import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { it } from 'node:test';
import { createInstallBench, manifestOf } from './install-bench.ts';

// These ask the npm registry of this machine's configuration.
const { signal } = new AbortController();

it('a package of the registry is installed, and then there without the registry', async () => {
  await using bench = createInstallBench();
  const manifest = manifestOf({ lodash: '^4.17.0' });
  const lines: string[] = [];
  const onProgress = (line: string): void => {
    lines.push(line);
  };
  const installed = await bench.installer.install({ manifest }, { signal, onProgress });
  const lodash: unknown = createRequire(join(installed, 'index.js'))('lodash');
  assert.equal(Reflect.get(Object(lodash), 'VERSION')?.split('.')[0], '4');
  assert.ok(lines.some((line) => /fetch GET 200 .*lodash/.test(line)));
  assert.equal(
    await bench.reopen({ PATH: '/nowhere' }).install({ manifest }, { signal }),
    installed,
  );
});

it('a package that does not exist is told by its name', async () => {
  await using bench = createInstallBench();
  const name = '@fnlet-tests/there-is-no-such-package';
  await assert.rejects(
    bench.installer.install({ manifest: manifestOf({ [name]: '1' }) }, { signal }),
    {
      code: 'DependencyNotFound',
      message: new RegExp(`dependency "${name}`),
    },
  );
});

it('a version that does not exist is told by name and version', async () => {
  await using bench = createInstallBench();
  const manifest = manifestOf({ lodash: '^99' });
  await assert.rejects(bench.installer.install({ manifest }, { signal }), {
    code: 'DependencyNotFound',
    message: /dependency "lodash@\^99"/,
  });
});
