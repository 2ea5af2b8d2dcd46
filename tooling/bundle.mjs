/**
 * Makes one bundle of the command and one of the Node Runner, which start in half of the time that
 * their hundreds of files take. Plain JavaScript: tooling/setup.mjs runs it on any Node.
 *
 * Below `packages/cli/dist`:
 * - `<build>/src/`: the command is `fnlet.js`, the Runner `main.mjs`; beside them what they load
 *   when they need it, and what they find by their own URL, as in the sources. What a start of
 *   `fnlet up` loads is five scripts, one for each step (see merge-chunks.mjs, start-scripts.mjs).
 * - `<build>/src/node_modules/@fnlet/sdk/`: the SDK, where the Runner finds it as a package.
 * - `<build>/rehearsal/`: what a Runner rehearses with.
 * - `<build>/runner/`: the Node Runner as `fnlet eject` writes it into projects.
 * - `<build>/pod-runner/`: the Node Runner of a Pod, as ConfigMaps carry it.
 * - `current.json`: the newest build, and the files that it was made of (see find-bundle.js).
 *
 * I1. A build is named by its contents and never changes: who runs it may load the rest of it later.
 * I2. `current.json` is written last and in one step: it never names half a build.
 * I3. A file that was edited after the build began counts as one that was not built.
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { changeTimeMs, findBundle } from '../packages/cli/bin/find-bundle.js';
import { builtinImports } from './builtin-imports.mjs';
import { loadingScript, toPackageScript, toScript } from './start-scripts.mjs';

// A process that started before the last edits still loads from its own build.
const buildsKept = 4;

const common = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24.12',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  // V8 keeps the text of what runs: a third less. Names stay, for stacks and profiles.
  minifySyntax: true,
  minifyWhitespace: true,
  // An error that nobody catches is printed with its line: one of hundreds of kilobytes does not fit
  // into a pipe, and the stack behind it is lost.
  lineLimit: 200,
  chunkNames: '[name]-[hash]',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  metafile: true,
  write: false,
};

/** Files that the code finds by its own URL, and where they lie in a build. */
const assets = {
  'packages/apiserver/src/builtins/facts/builtin-messages.json': 'src/builtin-messages.json',
  'packages/gateway/src/policy/bcrypt-worker.mjs': 'src/bcrypt-worker.mjs',
  'runtimes/node/rehearsal/commonjs/handler.js': 'rehearsal/commonjs/handler.js',
  'runtimes/node/rehearsal/event/handler.js': 'rehearsal/event/handler.js',
  'runtimes/node/rehearsal/operator/handler.js': 'rehearsal/operator/handler.js',
  'runtimes/node/rehearsal/web/handler.js': 'rehearsal/web/handler.js',
};

/** The Python Runner, file by file, below the build as below the checkout. */
function pythonFiles(root) {
  const room = join('runtimes', 'python');
  return ['fnlet_runner', 'doors'].flatMap((folder) =>
    readdirSync(join(root, room, folder), { recursive: true })
      .filter((name) => name.endsWith('.py'))
      .map((name) => join(room, folder, name)),
  );
}

/** What a build depends on besides what it contains. */
const recipe = [
  'tooling/bundle.mjs',
  'tooling/builtin-imports.mjs',
  'tooling/merge-chunks.mjs',
  'tooling/start-scripts.mjs',
  'package.json',
  'node_modules/.package-lock.json',
];

/** Makes a bundle of the checkout at `root`, unless the one that is there holds it as it is. */
export async function refreshBundle(root) {
  const dist = join(root, 'packages', 'cli', 'dist');
  if (findBundle(dist) === undefined) await makeBundle(root, dist);
}

async function makeBundle(root, dist) {
  mkdirSync(dist, { recursive: true });
  const making = mkdtempSync(join(dist, 'making-'));
  // Where esbuild is told that it writes, though it does not: names of chunks come from that, too, and
  // the same sources are to be the same build.
  const named = join(dist, 'build');
  try {
    const beganMs = changeTimeMs(making);
    const results = await bundle(root, join(named, 'src'));
    const build = writeBuild({ root, dist, named, making, results });
    const inputs = Object.fromEntries(
      inputsOf(root, results).map((path) => [path, timeBefore(join(root, path), beganMs)]),
    );
    const current = `${making}.json`;
    writeFileSync(current, JSON.stringify({ build, inputs }));
    renameSync(current, join(dist, 'current.json'));
    removeOldBuilds(dist, build);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

async function bundle(root, outdir) {
  const { build } = await import('esbuild');
  const { mergeChunks } = await import('./merge-chunks.mjs');
  const options = { ...common, absWorkingDir: root, outdir };
  return Promise.all([
    bundleCommand({ build, mergeChunks, options }),
    bundlePackage({ build, options, name: 'lmdb' }),
    bundleInstance({ build, mergeChunks, options }),
    build({ ...options, ...forInstances, entryPoints: sdkEntries }),
    build({
      ...options,
      external: leftAlone,
      // Found by its own URL, beside what starts the thread.
      entryPoints: { 'yaml-worker': 'packages/apiserver/src/request/yaml-worker.ts' },
    }),
    bundleRunner(root, join(outdir, '..', 'runner')),
    bundlePodRunner(root, join(outdir, '..', 'pod-runner')),
  ]);
}

/** The Node Runner with all that it needs, to be read by people; nothing is written. */
export async function bundleRunner(root, outdir) {
  const { build } = await import('esbuild');
  return build({
    ...common,
    ...runnerEntries,
    minifySyntax: false,
    minifyWhitespace: false,
    sourcemap: false,
    target: 'node22.15',
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.mjs' },
  });
}

/** The Node Runner of a Pod, with all that it needs but what it rehearses with; nothing is written. */
export async function bundlePodRunner(root, outdir) {
  const { build } = await import('esbuild');
  return build({
    ...common,
    entryPoints: {
      'src/pod-main': 'runtimes/node/src/pod-main.mjs',
      'src/kyma-sdk': 'runtimes/node/src/kyma-sdk.ts',
      ...sdkEntries,
    },
    chunkNames: 'src/[name]-[hash]',
    sourcemap: false,
    target: 'node22.15',
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    // A Function that imports `fnlet` gets the same module.
    external: ['@fnlet/sdk'],
  });
}

const forInstances = {
  // The oldest Node that runs functions.
  target: 'node22.15',
  outExtension: { '.js': '.mjs' },
};

/** What the program of an Instance loads at once. */
const runnerStep = { name: 'runner', entries: ['runtimes/node/src/runner.ts'] };

// The SDK lies where the Runner, and thereby the function, finds it as a package: as a few files and
// not as the dozens of its sources, which a function that wakes would have to wait for.
const sdkEntries = {
  'node_modules/@fnlet/sdk/index': 'packages/sdk/src/index.ts',
  'node_modules/@fnlet/sdk/operator': 'packages/sdk/src/operator/index.ts',
  'node_modules/@fnlet/sdk/operator-wire': 'packages/sdk/src/operator/wire/index.ts',
};

const sdkPackage = {
  name: '@fnlet/sdk',
  type: 'module',
  exports: {
    '.': './index.mjs',
    './operator': './operator.mjs',
    './operator-wire': './operator-wire.mjs',
  },
};

const runnerEntries = {
  entryPoints: {
    standalone: 'runtimes/node/src/standalone.ts',
    'kyma-sdk': 'runtimes/node/src/kyma-sdk.ts',
    ...sdkEntries,
  },
};

/**
 * Packages that are found where they are installed. Those of CommonJS: when they are imported late,
 * only Node itself knows what they export; and Kafka's reads a file of its own.
 */
const leftAlone = [
  ...['undici', 'yaml', 'tar', 'yauzl'],
  ...['@nats-io/transport-node', '@nats-io/jetstream', '@platformatic/kafka'],
];

/** What a start of each command loads, and then `fnlet up` until everything listens. */
const steps = [
  { name: 'fnlet', entries: ['packages/cli/src/main.ts'] },
  { name: 'up', entries: ['packages/cli/src/commands/up.ts'] },
  {
    name: 'data-plane',
    entries: [
      'packages/server/src/data-plane.ts',
      'packages/server/src/foreign-functions.ts',
      'packages/server/src/workload-lookout.ts',
    ],
  },
];

async function bundleCommand({ build, mergeChunks, options: shared }) {
  const options = { ...shared, external: leftAlone };
  const entryPoints = { fnlet: 'packages/cli/src/main.ts' };
  const plugins = [builtinImports];
  const first = await build({ ...options, entryPoints, plugins, sourcemap: 'inline' });
  const merged = await mergeChunks(first, { steps, options });
  const files = merged.outputFiles.flatMap((file) =>
    asScript({ file, steps, outputs: merged.metafile.outputs, options }),
  );
  return { outputFiles: files, metafile: first.metafile };
}

/** The program of an Instance: the Runner that it loads is a script, the rest of it comes later. */
async function bundleInstance({ build, mergeChunks, options: shared }) {
  // A Function that imports `fnlet` gets the same module.
  const options = { ...shared, ...forInstances, external: ['@fnlet/sdk'] };
  const entryPoints = {
    main: 'runtimes/node/src/main.mjs',
    'kyma-sdk': 'runtimes/node/src/kyma-sdk.ts',
  };
  const plugins = [builtinImports];
  const first = await build({ ...options, entryPoints, plugins, sourcemap: 'inline' });
  const merged = await mergeChunks(first, { steps: [runnerStep], options });
  const files = merged.outputFiles.flatMap((file) =>
    file.path.endsWith('/main.mjs')
      ? [{ path: file.path, contents: Buffer.from(loadingScript(file.text, 'runner.mjs')) }]
      : asScript({ file, steps: [runnerStep], outputs: merged.metafile.outputs, options }),
  );
  return { outputFiles: files, metafile: first.metafile };
}

/** A package of CommonJS that each start loads, as a script: one file, under its version. */
async function bundlePackage({ build, options, name }) {
  const directory = join(options.absWorkingDir, 'node_modules', name);
  const { version, main } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const { outputFiles, metafile } = await build({
    ...options,
    format: 'cjs',
    splitting: false,
    sourcemap: false,
    entryPoints: { [`${name}@${version}`]: join(directory, main) },
    // What it can do without, on this system.
    external: ['msgpackr-extract', 'bun:ffi'],
  });
  const files = outputFiles.map(({ path, text }) => ({
    path: path.replace(/\.js$/, '.script.js'),
    contents: Buffer.from(toPackageScript(text)),
  }));
  return { outputFiles: files, metafile };
}

/** A file that a start loads, as a script and what stands for it; every other one as it is. */
function asScript({ file, steps, outputs, options }) {
  const ending = extname(file.path);
  const name = basename(file.path, ending);
  const isLoaded = steps.some((step) => name === step.name || name === `${step.name}-shared`);
  if (!isLoaded || ending === '.map') return [file];
  const { imports } = outputs[relative(options.absWorkingDir, file.path)];
  const lateImports = imports.filter(({ kind }) => kind === 'dynamic-import').length;
  const { script, module } = toScript({ name, text: file.text, lateImports });
  return [
    { path: file.path, contents: Buffer.from(module) },
    { path: join(dirname(file.path), `${name}.script.js`), contents: Buffer.from(script) },
  ];
}

/** Puts a build where its digest says; one that is there already is the same. Returns its name. */
function writeBuild({ root, dist, named, making, results }) {
  const outputs = results.flatMap(({ outputFiles }) => outputFiles);
  const python = pythonFiles(root).map((path) => [path, path]);
  const copies = [...Object.entries(assets), ...python].map(([from, to]) => ({
    path: join(named, to),
    contents: readFileSync(join(root, from)),
  }));
  const sdk = {
    path: join(named, 'src', 'node_modules', '@fnlet', 'sdk', 'package.json'),
    contents: Buffer.from(JSON.stringify(sdkPackage)),
  };
  const hash = createHash('sha256');
  for (const { path, contents } of [...outputs, ...copies, sdk]) {
    const name = relative(named, path);
    hash.update(`${name} ${contents.length} `).update(contents);
    mkdirSync(dirname(join(making, name)), { recursive: true });
    writeFileSync(join(making, name), contents);
  }
  const build = hash.digest('hex').slice(0, 12);
  if (changeTimeMs(join(dist, build)) === undefined) renameSync(making, join(dist, build));
  return build;
}

/** All files of this checkout that a build is made of, relative to its root. */
function inputsOf(root, results) {
  const own = results
    .flatMap(({ metafile }) => Object.keys(metafile.inputs))
    .filter((path) => /^(packages|runtimes)\//.test(path));
  // Which file an import of a room means is up to the room's package.json.
  const rooms = own.map((path) => path.replace(/^([^/]+\/[^/]+)\/.*/, '$1/package.json'));
  return [...new Set([...recipe, ...rooms, ...own, ...Object.keys(assets), ...pythonFiles(root)])];
}

function timeBefore(path, beganMs) {
  const changedMs = changeTimeMs(path);
  return changedMs < beganMs ? changedMs : null;
}

function removeOldBuilds(dist, current) {
  const builds = readdirSync(dist)
    .filter((name) => /^[0-9a-f]{12}$/.test(name) && name !== current)
    .map((name) => ({ path: join(dist, name), changedMs: statSync(join(dist, name)).ctimeMs }))
    .sort((a, b) => b.changedMs - a.changedMs);
  for (const { path } of builds.slice(buildsKept - 1)) rmSync(path, { recursive: true });
}
