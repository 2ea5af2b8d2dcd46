/**
 * Makes few files of the many of a bundle. esbuild makes a chunk of whatever the same entries share,
 * and what is loaded late divides it into dozens; each costs Node a millisecond or two. Here all
 * that one step of a start loads becomes one file.
 *
 * I1. A module is in one file only: what is loaded late has the same classes as what was there.
 * I2. Nobody loads what it did not load before, but for what the start and other commands share:
 *     that is one file, which all of them load as a whole.
 */
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * @param {import('esbuild').BuildResult} first with `metafile`, not written, its source maps inline
 * @param {object} plan
 * @param {readonly Step[]} plan.steps what a start loads, in its order
 * @param {import('esbuild').BuildOptions} plan.options of the first build
 * @returns {Promise<import('esbuild').BuildResult>} the same bundle in fewer files
 *
 * @typedef {object} Step
 * @property {string} name of its file
 * @property {readonly string[]} entries its source files; the first step is that of every command
 */
export function mergeChunks(first, { steps, options }) {
  const chunks = readChunks(first, options.absWorkingDir);
  const ending = options.outExtension?.['.js'] ?? '.js';
  const groups = groupChunks(chunks, steps);
  const grouped = new Set([...groups.values()].flat());
  const late = [...chunks.values()].filter(({ entry }) => entry !== undefined);
  const alone = late.filter((chunk) => !grouped.has(chunk)).map(({ file }) => file);
  return build({
    ...options,
    entryPoints: [
      ...[...groups.keys()].map((name) => ({ in: `group:${name}`, out: name })),
      ...alone.map((file) => ({ in: `./${file}`, out: basename(file, ending) })),
    ],
    plugins: [readMerged({ chunks, groups, ending, directory: options.outdir })],
  });
}

function readChunks({ metafile, outputFiles }, root) {
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const chunks = new Map();
  for (const [path, { imports, exports, entryPoint: entry }] of Object.entries(metafile.outputs)) {
    const inside = imports.filter(({ external }) => !external);
    const importsOf = (kind) => inside.filter((i) => i.kind === kind).map((i) => basename(i.path));
    const file = basename(path);
    const [now, late] = [importsOf('import-statement'), importsOf('dynamic-import')];
    chunks.set(file, { file, entry, exports, now, late, text: texts.get(join(root, path)) });
  }
  return chunks;
}

/** Which chunks become one file, by its name; none of a file imports one of a later file. */
function groupChunks(chunks, [common, ...steps]) {
  const find = (entry) => [...chunks.values()].find((chunk) => chunk.entry === entry);
  const loadedBy = (entries) => closure(chunks, entries.map(find), ({ now }) => now);
  const taken = loadedBy(common.entries);
  const groups = new Map([[common.name, [...taken]]]);
  const own = new Set(steps.flatMap(({ entries }) => entries.map(find)));
  const commands = [...taken].flatMap(({ late }) => late.map((file) => chunks.get(file)));
  const others = commands.filter((chunk) => !own.has(chunk));
  const shared = closure(chunks, others, ({ now, late }) => [...now, ...late]);
  for (const { name, entries } of steps) {
    const added = [...loadedBy(entries)].filter((chunk) => !taken.has(chunk));
    groups.set(
      `${name}-shared`,
      added.filter((chunk) => shared.has(chunk)),
    );
    groups.set(
      name,
      added.filter((chunk) => !shared.has(chunk)),
    );
    for (const chunk of added) taken.add(chunk);
  }
  return groups;
}

/** The chunks that these lead to, each after those that it leads to itself. */
function closure(chunks, roots, follow) {
  const found = new Set();
  const visited = new Set();
  const visit = (chunk) => {
    if (visited.has(chunk)) return;
    visited.add(chunk);
    for (const file of follow(chunk)) visit(chunks.get(file));
    found.add(chunk);
  };
  for (const root of roots) visit(root);
  return found;
}

/**
 * Lets esbuild read the first build, of which no file was written, and what makes files of it:
 * a `group` exports what its chunks do, each name with the number of its chunk; a `stand-in` is what
 * others see of a chunk that is in a group.
 */
function readMerged({ chunks, groups, ending, directory }) {
  const groupOf = new Map(
    [...groups].flatMap(([name, members]) => members.map(({ file }) => [file, name])),
  );
  const contentsOf = {
    group: (name) => groups.get(name).map(exportChunk(chunks)).join('\n'),
    'stand-in': (file) => {
      const names = chunks.get(file).exports.map(numbered(chunks, file));
      const list = names.map(({ outer, inner }) => `${outer} as ${inner}`).join(', ');
      return `export { ${list} } from './${groupOf.get(file)}${ending}';`;
    },
    file: (path) => chunks.get(basename(path))?.text,
  };
  const resolve = ({ path, importer, namespace, kind }) => {
    if (namespace === 'stand-in') return { path, external: true };
    const file = basename(path);
    const group = groupOf.get(file);
    const own = namespace === 'group' ? importer : groupOf.get(basename(importer));
    const isWithin = group === own && kind !== 'dynamic-import';
    if (group === undefined || isWithin) return { path: join(directory, file) };
    if (kind === 'dynamic-import') return { path: `./${group}${ending}`, external: true };
    // One for each file that imports it: esbuild would make a chunk of a common one.
    return { path: file, namespace: 'stand-in', suffix: `?${own ?? basename(importer)}` };
  };
  return {
    name: 'merged',
    setup(setup) {
      const isGroup = { filter: /^group:/ };
      setup.onResolve(isGroup, ({ path }) => ({ path: path.slice(6), namespace: 'group' }));
      setup.onResolve({ filter: /^\.\/[^/]+\.m?js$/ }, resolve);
      for (const [namespace, read] of Object.entries(contentsOf)) {
        setup.onLoad({ filter: /^/, namespace }, ({ path }) => {
          const contents = read(path);
          return contents === undefined ? undefined : { contents, resolveDir: directory };
        });
      }
    },
  };
}

const exportChunk = (chunks) => (chunk) => {
  const names = chunk.exports.map(numbered(chunks, chunk.file));
  const list = names.map(({ inner, outer }) => `${inner} as ${outer}`).join(', ');
  return `import './${chunk.file}';\nexport { ${list} } from './${chunk.file}';`;
};

/** An export of a chunk as others see it. Entries are imported by name, so theirs stay. */
function numbered(chunks, file) {
  const number = [...chunks.keys()].indexOf(file);
  const isEntry = chunks.get(file).entry !== undefined;
  return (inner) => ({ inner, outer: isEntry ? inner : `${inner}_${number}` });
}
