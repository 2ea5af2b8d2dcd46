import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { extract, list } from 'tar';
import { packLayer, writeImage } from './image.ts';

class Workshop implements Disposable {
  readonly root: string = mkdtempSync(join(tmpdir(), 'image-test-'));

  /** A program of two files. */
  program(name: string, mode: number): string {
    const directory = join(this.root, name);
    mkdirSync(join(directory, 'packages', 'cli', 'bin'), { recursive: true });
    const files = {
      'packages/cli/bin/fnlet.js': "console.log('hello');",
      'packages/cli/package.json': '{}',
    };
    for (const [path, text] of Object.entries(files)) {
      const file = join(directory, path);
      writeFileSync(file, text);
      chmodSync(file, mode);
      utimesSync(file, mode, mode);
    }
    return directory;
  }

  /** An image of one empty layer for each of these platforms, as a registry gives it. */
  base(architectures: readonly string[]): string {
    const layout = join(this.root, 'base');
    mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true });
    const put = (value: unknown, mediaType: string) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const digest = createHash('sha256').update(bytes).digest('hex');
      writeFileSync(join(layout, 'blobs', 'sha256', digest), bytes);
      return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
    };
    const oci = (kind: string): string => `application/vnd.oci.image.${kind}.v1+json`;
    const layer = put('layer', 'application/vnd.oci.image.layer.v1.tar+gzip');
    const manifests = architectures.map((architecture) => {
      const config = put(
        {
          ...{ os: 'linux', architecture, created: '2026-01-02T03:04:05Z' },
          config: { Env: ['NODE_VERSION=24'], Entrypoint: ['docker-entrypoint.sh'], Cmd: ['node'] },
          rootfs: { type: 'layers', diff_ids: ['sha256:base'] },
          history: [{ created_by: 'FROM scratch' }],
        },
        oci('config'),
      );
      const manifest = { schemaVersion: 2, config, layers: [layer] };
      return { ...put(manifest, oci('manifest')), platform: { os: 'linux', architecture } };
    });
    const note = {
      ...put({}, oci('manifest')),
      platform: { os: 'unknown', architecture: 'unknown' },
    };
    const inner = put({ schemaVersion: 2, manifests: [...manifests, note] }, oci('index'));
    writeFileSync(join(layout, 'index.json'), JSON.stringify({ manifests: [inner] }));
    return layout;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}

interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

interface Config {
  readonly architecture: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

function pathOf(layout: string, digest: string): string {
  return join(layout, 'blobs', 'sha256', digest.replace('sha256:', ''));
}

test('the same program gives the same image, whoever makes it and when', async () => {
  using shop = new Workshop();
  const base = shop.base(['amd64']);
  const one = await packLayer(shop.program('one', 0o644));
  const other = await packLayer(shop.program('other', 0o600));
  assert.ok(one.equals(other));
  const first = await writeImage(base, one, join(shop.root, 'first'));
  const second = await writeImage(base, other, join(shop.root, 'second'));
  assert.equal(first, second);
  assert.match(first, /^sha256:[0-9a-f]{64}$/);
});

test('a layer has the program below /fnlet, for nobody to change', async () => {
  using shop = new Workshop();
  const file = join(shop.root, 'layer.tar.gz');
  writeFileSync(file, await packLayer(shop.program('program', 0o600)));
  const entries: string[] = [];
  await list({
    file,
    onReadEntry: ({ path, mode = 0, uid, mtime }) => {
      entries.push([path, mode.toString(8), uid ?? 0, mtime?.getTime() ?? 0].join(' '));
    },
  });
  assert.deepEqual(entries, [
    'fnlet/ 755 0 0',
    'fnlet/packages/ 755 0 0',
    'fnlet/packages/cli/ 755 0 0',
    'fnlet/packages/cli/bin/ 755 0 0',
    'fnlet/packages/cli/bin/fnlet.js 644 0 0',
    'fnlet/packages/cli/package.json 644 0 0',
  ]);
  const unpacked = join(shop.root, 'unpacked');
  mkdirSync(unpacked);
  await extract({ file, cwd: unpacked });
  const program = join(unpacked, 'fnlet', 'packages', 'cli', 'bin', 'fnlet.js');
  assert.equal(readFileSync(program, 'utf8'), "console.log('hello');");
});

test('every platform of the base has it on top, and runs it as nobody', async () => {
  using shop = new Workshop();
  const layer = await packLayer(shop.program('program', 0o644));
  const output = join(shop.root, 'image');
  await writeImage(shop.base(['amd64', 'arm64']), layer, output);
  const index = JSON.parse(readFileSync(join(output, 'index.json'), 'utf8'));
  assert.equal(index.manifests.length, 2, 'what is of no platform is left out');
  for (const described of index.manifests) {
    const manifest: Manifest = JSON.parse(readFileSync(pathOf(output, described.digest), 'utf8'));
    const { architecture, config, rootfs }: Config = JSON.parse(
      readFileSync(pathOf(output, manifest.config.digest), 'utf8'),
    );
    assert.equal(architecture, described.platform.architecture);
    assert.deepEqual(config, {
      Env: ['NODE_VERSION=24'],
      User: '65532:65532',
      Entrypoint: ['node', '/fnlet/packages/cli/bin/fnlet.js'],
    });
    const [, top] = manifest.layers;
    assert.equal(top?.size, layer.length);
    const contents = gunzipSync(readFileSync(pathOf(output, top?.digest ?? '')));
    const diffId = createHash('sha256').update(contents).digest('hex');
    assert.deepEqual(rootfs.diff_ids, ['sha256:base', `sha256:${diffId}`]);
  }
});

test('all blobs have the digests that they are called by', async () => {
  using shop = new Workshop();
  const layer = await packLayer(shop.program('program', 0o644));
  const output = join(shop.root, 'image');
  await writeImage(shop.base(['amd64']), layer, output);
  const blobs = join(output, 'blobs', 'sha256');
  for (const name of readdirSync(blobs)) {
    const digest = createHash('sha256')
      .update(readFileSync(join(blobs, name)))
      .digest('hex');
    assert.equal(digest, name);
  }
});

test('what is no layout of OCI is told as that', async () => {
  using shop = new Workshop();
  const layer = Buffer.alloc(0);
  const nowhere = join(shop.root, 'nowhere');
  mkdirSync(join(nowhere, 'blobs'), { recursive: true });
  await assert.rejects(writeImage(nowhere, layer, join(shop.root, 'image')), {
    message: /^Cannot read the index\.json of an OCI layout: found none at/,
  });
});
