/** How the bundle asks for modules of Node, on statements as sources have them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const file = join(import.meta.dirname, '..', 'tooling', 'builtin-imports.mjs');
const { withoutImports }: { withoutImports(text: string): string } = await import(
  pathToFileURL(file).href
);

/** Bundles the text, runs it, and returns what it exports and how it reads. */
async function run(text: string): Promise<{ found: unknown; bundled: string }> {
  const { outputFiles } = await build({
    stdin: { contents: withoutImports(text), loader: 'ts' },
    ...{ bundle: true, write: false, format: 'esm', platform: 'node' },
  });
  const bundled = outputFiles[0]?.text ?? '';
  const url = `data:text/javascript,${encodeURIComponent(bundled)}`;
  const { default: found }: { default: unknown } = await import(url);
  return { found, bundled };
}

describe('withoutImports()', () => {
  it('asks for members, the module, both, and all of it', async () => {
    const { found, bundled } = await run(`import path, { join, sep as separator } from 'node:path';
import * as os from 'node:os';
import http2, { type ClientHttp2Session } from 'node:http2';
import {
  type Stats,
  statSync,
} from 'node:fs';
type Kept = ClientHttp2Session | Stats;
const kept: Kept | undefined = undefined;
export default [
  path.join('a', 'b') === join('a', 'b'), separator, os.EOL, typeof http2.connect,
  statSync('/').isDirectory(), kept,
];
`);
    assert.deepEqual(found, [true, '/', '\n', 'function', true, undefined]);
    assert.doesNotMatch(bundled, /^import/m);
  });

  it('leaves types, texts and other modules alone', () => {
    for (const text of [
      "import type { Stats } from 'node:fs';",
      "import { type Stats } from 'node:fs';",
      "import { parse } from 'yaml';",
      'const text = "import { join } from \'node:path\';";',
      "import './other.ts';\nimport { a } from './more.ts';",
    ]) {
      assert.equal(withoutImports(text), text);
    }
  });

  it('keeps every line where it was', () => {
    const text = readFileSync(join(import.meta.dirname, 'bundle.test.ts'), 'utf8');
    const [before, after] = [text, withoutImports(text)].map((it) => it.split('\n'));
    assert.equal(after?.length, before?.length);
    const isTold = (line: string): boolean => line.startsWith('describe(');
    assert.equal(after?.findIndex(isTold), before?.findIndex(isTold));
    assert.doesNotMatch(after?.join('\n') ?? '', /^} from 'node:/m);
  });

  it('lets go of what nobody uses', async () => {
    const { bundled } = await run(
      "import { createServer } from 'node:http';\n" +
        'export const never = (): unknown => createServer();\nexport default 1;',
    );
    assert.match(bundled, /createServer/);
    const unused = await run("import { createServer } from 'node:http';\nexport default 1;");
    assert.doesNotMatch(unused.bundled, /node:http/);
  });
});
