/**
 * Installations of dependencies that hang, fail, are killed or fill the disk: what the conditions
 * say is what happened, nothing is left of them, and what was wrong is made up for.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Condition } from '@fnlet/machinery';
import { needsPip, python } from '../packages/executor/test/pip-bench.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { type PackageRegistry, startPackageRegistry } from './package-registry.ts';
import { until } from './until.ts';

const packages = [
  { name: 'small', version: '1.0.0' },
  { name: 'small', version: '2.0.0' },
  { name: 'small', version: '3.0.0' },
  { name: 'large', version: '1.0.0', ballast: randomBytes(12 * 1024 * 1024) },
];

/** A Function that answers with the version of its one dependency. */
type SpecOf = (name: string, version: string) => Readonly<Record<string, unknown>>;

const npmSpec: SpecOf = (name, version) => ({
  dependencies: JSON.stringify({ dependencies: { [name]: version } }),
  source: { inline: `exports.main = () => require('${name}');` },
});

const pipSpec: SpecOf = (name, version) => ({
  runtime: python?.name,
  dependencies: `${name}==${version}`,
  source: { inline: `import ${name}\ndef main(event, context): return ${name}.version\n` },
});

interface World {
  readonly fnlet: FnletProcess;
  readonly api: TestApi;
  readonly registry: PackageRegistry;
}

/** Names in the directory of dependencies that are of installations under way. */
function stagings({ endpoints, dataDirectory }: FnletProcess): string[] {
  // Its own view of the files: it may have mounted something.
  const directory = join(`/proc/${endpoints.pid}/root`, dataDirectory, 'dependencies');
  return readdirSync(directory).filter((name) => name.startsWith('staging-'));
}

function untilClean({ fnlet, registry }: World): Promise<boolean> {
  const isClean = (): boolean => registry.waiting() === 0 && stagings(fnlet).length === 0;
  return until(isClean, { what: 'nothing to be left of the installation' });
}

async function untilAnswers({ fnlet }: World, name: string, version: string): Promise<void> {
  const url = `${fnlet.endpoints.gateway}/default/${name}`;
  const answers = async (): Promise<boolean> => (await (await fetch(url)).text()) === version;
  await until(answers, { what: `${name} to answer ${version}`, timeoutMs: 60_000 });
}

async function conditionsOf(api: TestApi, name: string): Promise<Readonly<Record<string, string>>> {
  const path = `/apis/fnlet.dev/v1alpha1/namespaces/default/functions/${name}`;
  const object: { readonly status?: { readonly conditions?: readonly Condition[] } } = Object(
    await api.getJson(path),
  );
  const conditions = object.status?.conditions ?? [];
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
}

/** The package managers that work for this Fnlet. */
function installersOf({ dataDirectory }: FnletProcess): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const isHere = readlinkSync(`/proc/${pid}/cwd`).startsWith(
        join(dataDirectory, 'dependencies'),
      );
      return isHere && /npm|pip|uv/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    } catch {
      return false;
    }
  });
}

async function start(
  dataDirectory: string,
  registry: PackageRegistry,
  launcher: readonly string[] = [],
): Promise<World & AsyncDisposable> {
  const cache = { npm_config_cache: join(dataDirectory, 'npm-cache') };
  const env = { ...registry.environment, ...cache };
  const fnlet = await startFnlet({ dataDirectory, env, launcher });
  const api = await createApi(fnlet.endpoints.kubeconfig);
  return {
    ...{ fnlet, api, registry },
    async [Symbol.asyncDispose]() {
      await api.close();
      await fnlet.stop();
    },
  };
}

/** Waits until an installation hangs, and checks that nobody says that it failed, or is done. */
async function untilHangs({ api, registry }: World, name: string): Promise<void> {
  await until(() => registry.waiting() > 0, { what: 'somebody to wait for the package' });
  const isTold = async (): Promise<boolean> =>
    (await conditionsOf(api, name)).DependenciesReady === 'Unknown';
  await until(isTold, { what: 'the installation to be told' });
  assert.equal((await conditionsOf(api, name)).Ready, 'Unknown');
}

/** What is sent is not what was promised, and nothing is: each is told as it is. */
async function applyFailing({ api, registry }: World, specOf: SpecOf): Promise<void> {
  registry.mood = 'corrupt';
  await api.applyFunction('corrupt', specOf('small', '1.0.0'));
  const corrupt = await api.waitNotReady('corrupt');
  assert.equal(corrupt.reason, 'InstallFailed');
  assert.match(corrupt.message, /EINTEGRITY|DO NOT MATCH THE HASHES|hash mismatch/i);
  registry.mood = 'broken';
  await api.applyFunction('broken', specOf('small', '2.0.0'));
  assert.equal((await api.waitNotReady('broken')).reason, 'RegistryUnreachable');
}

async function checkTroubles(world: World, specOf: SpecOf): Promise<void> {
  const { api, registry, fnlet } = world;
  await applyFailing(world, specOf);
  await untilClean(world);

  // What failed is tried again after seconds, and would hang beside what is looked at now.
  for (const name of ['corrupt', 'broken']) await api.deleteFunction(name);
  registry.mood = 'silent';
  await api.applyFunction('hanging', specOf('small', '3.0.0'));
  await untilHangs(world, 'hanging');
  await api.applyFunction('hanging', { ...specOf('small', '3.0.0'), dependencies: null });
  await untilClean(world);
  assert.deepEqual(installersOf(fnlet), []);

  await api.applyFunction('killed', specOf('small', '3.0.0'));
  await untilHangs(world, 'killed');
  for (const pid of installersOf(fnlet)) process.kill(pid, 'SIGKILL');
  const killed = await api.waitNotReady('killed');
  assert.equal(killed.reason, 'InstallFailed');
  assert.match(killed.message, /^Cannot install dependencies: \w+ was killed by SIGKILL/);
}

for (const [name, specOf, options] of [
  ['npm', npmSpec, {}],
  ['pip', pipSpec, needsPip],
] as const) {
  test(`${name}: trouble is told as it is, leaves nothing, and passes`, options, async () => {
    const dataDirectory = await makeDataDirectory();
    await using registry = await startPackageRegistry(packages);
    try {
      {
        await using first = await start(dataDirectory, registry);
        await checkTroubles(first, specOf);
        await applyFailing(first, specOf);
        registry.mood = 'silent';
        await first.api.applyFunction('orphan', specOf('small', '2.0.0'));
        await until(() => registry.waiting() > 0, { what: 'the package to be waited for' });
        await first.fnlet.stop('SIGKILL');
        // Those that tried again at this moment wait for nothing yet.
        const isOver = (): boolean =>
          registry.waiting() === 0 && installersOf(first.fnlet).length === 0;
        await until(isOver, { what: 'the package managers to be gone' });
      }
      registry.mood = 'well';
      await using second = await start(dataDirectory, registry);
      for (const [each, version] of [
        ['corrupt', '1.0.0'],
        ['broken', '2.0.0'],
        ['orphan', '2.0.0'],
        ['killed', '3.0.0'],
      ] as const) {
        await untilAnswers(second, each, version);
      }
      await untilClean(second);
    } finally {
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  });
}

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
const needsMount = { skip: canMount ? false : 'no right to mount a small disk' };

for (const [name, specOf, options] of [
  ['npm', npmSpec, needsMount],
  ['pip', pipSpec, needsMount.skip === false ? needsPip : needsMount],
] as const) {
  test(
    `${name}: what does not fit on the disk is told, and leaves room for what does`,
    options,
    async () => {
      const dataDirectory = await makeDataDirectory();
      await using registry = await startPackageRegistry(packages);
      const mount = 'mkdir -p "$0" && mount -t tmpfs -o size=8m,mode=700 tmpfs "$0" && exec "$@"';
      const disk = join(dataDirectory, 'dependencies');
      try {
        await using world = await start(dataDirectory, registry, [
          ...['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mount, disk],
        ]);
        await world.api.applyFunction('large', specOf('large', '1.0.0'));
        const large = await world.api.waitNotReady('large');
        assert.equal(large.reason, 'InstallFailed', large.message);
        assert.match(large.message, /no space left on device/i);
        await untilClean(world);
        await world.api.applyFunction('small', specOf('small', '1.0.0'));
        await untilAnswers(world, 'small', '1.0.0');

        const filler = join(`/proc/${world.fnlet.endpoints.pid}/root`, disk, 'locks', 'filler');
        assert.throws(() => writeFileSync(filler, Buffer.alloc(9 * 1024 * 1024)), {
          code: 'ENOSPC',
        });
        await world.api.applyFunction('other', specOf('small', '2.0.0'));
        const other = await world.api.waitNotReady('other');
        assert.equal(other.reason, 'InstallFailed', other.message);
        assert.match(other.message, /no space/i);
        await untilClean(world);
        rmSync(filler);
        await untilAnswers(world, 'other', '2.0.0');
      } finally {
        rmSync(dataDirectory, { recursive: true, force: true });
      }
    },
  );
}
