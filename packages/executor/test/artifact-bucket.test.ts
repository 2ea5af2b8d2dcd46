/** Artifacts and packages that a bucket keeps, for those who have lost their disk. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { type Logger, silentLogger, systemRandom, VirtualClock } from '@fnlet/base';
import { type ArtifactStore, createArtifactStore } from '../src/artifact-store.ts';
import { ArtifactBucket } from '../src/bucket/artifact-bucket.ts';
import { DirectoryBlobs } from '../src/bucket/directory-blobs.ts';
import type { DependencyInstaller } from '../src/dependency-installer.ts';
import { InstallDirectory } from '../src/install-directory.ts';

const { signal } = new AbortController();
const digest = 'd'.repeat(64);
const files = {
  'package.json': JSON.stringify({ dependencies: { one: '1.0.0' } }),
  'lib/handler.js': 'exports.main = () => 1;',
};

/** A disk, and an owner of it who remembers nothing else. */
interface Disk {
  readonly root: string;
  readonly store: ArtifactStore;
  readonly directory: InstallDirectory;
  readonly bucket: ArtifactBucket;
  /** How often a package manager was run. */
  installs: number;
}

class World implements AsyncDisposable {
  readonly root: string = mkdtempSync(join(tmpdir(), 'bucket-test-'));
  readonly shared: string = join(this.root, 'shared');
  readonly clock: VirtualClock = new VirtualClock(Date.now());
  readonly warnings: string[] = [];
  readonly #disks: Disk[] = [];

  /** An owner whose disk is empty. */
  open(): Disk {
    const root = join(this.root, `disk-${this.#disks.length}`);
    const { clock } = this;
    const logger: Logger = { ...silentLogger, warn: (text) => void this.warnings.push(text) };
    const blobs = new DirectoryBlobs({ directory: this.shared, random: systemRandom });
    const bucket = new ArtifactBucket({ blobs, directory: join(root, 'bucket'), clock, logger });
    const directory = new InstallDirectory(join(root, 'dependencies'), bucket);
    const installer: DependencyInstaller = {
      install: (_, caller) =>
        directory.installed(digest, caller, async (staging) => {
          disk.installs += 1;
          mkdirSync(join(staging, 'node_modules', 'one'), { recursive: true });
          writeFileSync(join(staging, 'node_modules', 'one', 'index.js'), 'module.exports = 1;');
        }),
      restored: (name, caller) => directory.restored(name, caller),
      sweep: (keep) => directory.sweep(keep),
    };
    const store = createArtifactStore({
      directory: join(root, 'artifacts'),
      ...{ dependencies: installer, bucket, logger },
    });
    const disk: Disk = { root, store, directory, bucket, installs: 0 };
    this.#disks.push(disk);
    return disk;
  }

  /** Keys of what is kept. */
  kept(folder: string): readonly string[] {
    const place = join(this.shared, folder);
    if (!existsSync(place)) return [];
    const found = readdirSync(place, { recursive: true, withFileTypes: true });
    return found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { bucket } of this.#disks) await bucket.close();
    rmSync(this.root, { recursive: true });
  }
}

test('an artifact and its packages come back to who has lost the disk', async () => {
  await using world = new World();
  const first = world.open();
  const made = await first.store.prepare({ files }, { signal });
  await first.bucket.settled();
  assert.equal(first.installs, 1);

  const second = world.open();
  const found = await second.store.prepare({ files }, { signal });
  assert.equal(second.installs, 0, 'no package manager is run');
  assert.equal(found.digest, made.digest);
  assert.equal(
    readFileSync(join(found.directory, 'lib/handler.js'), 'utf8'),
    files['lib/handler.js'],
  );
  const module = join(found.directory, 'node_modules', 'one', 'index.js');
  assert.equal(readFileSync(module, 'utf8'), 'module.exports = 1;');
  const link = readlinkSync(join(found.directory, 'node_modules'));
  assert.equal(basename(dirname(link)), digest);
  assert.deepEqual(world.warnings, []);
});

test('a source that is elsewhere is not fetched again', async () => {
  await using world = new World();
  let fetched = 0;
  const tree = {
    identity: 'commit 1',
    async write(directory: string) {
      fetched += 1;
      writeFileSync(join(directory, 'handler.js'), 'exports.main = () => 2;');
    },
  };
  const first = world.open();
  await first.store.prepare({ files: {}, tree }, { signal });
  await first.bucket.settled();
  const { directory } = await world.open().store.prepare({ files: {}, tree }, { signal });
  assert.equal(fetched, 1);
  assert.equal(readFileSync(join(directory, 'handler.js'), 'utf8'), 'exports.main = () => 2;');
});

test('equal files are kept once, and under the same name, whoever packs them', async () => {
  await using world = new World();
  const first = world.open();
  await first.store.prepare({ files }, { signal });
  await first.bucket.settled();
  const before = world.kept('artifacts');
  rmSync(world.shared, { recursive: true });
  const second = world.open();
  await second.store.prepare({ files }, { signal });
  await second.bucket.settled();
  assert.equal(before.length, 1);
  assert.deepEqual(world.kept('artifacts'), before);
});

test('what is damaged is not used, but made again', async () => {
  await using world = new World();
  const first = world.open();
  await first.store.prepare({ files }, { signal });
  await first.bucket.settled();
  for (const file of world.kept('')) writeFileSync(file, 'nonsense');

  const second = world.open();
  const { directory } = await second.store.prepare({ files }, { signal });
  assert.equal(second.installs, 1);
  assert.ok(existsSync(join(directory, 'lib/handler.js')));
  assert.ok(world.warnings.includes('What was kept is damaged and is not used'));
});

test('an artifact whose packages are gone is made again', async () => {
  await using world = new World();
  const first = world.open();
  await first.store.prepare({ files }, { signal });
  await first.bucket.settled();
  rmSync(join(world.shared, 'dependencies'), { recursive: true });

  const second = world.open();
  const { directory } = await second.store.prepare({ files }, { signal });
  assert.equal(second.installs, 1);
  assert.ok(existsSync(join(directory, 'node_modules', 'one')));
});

test('a store that is out of reach costs a warning, and nothing else', async () => {
  await using world = new World();
  // A file where the directory should be.
  writeFileSync(world.shared, '');
  const disk = world.open();
  const { directory } = await disk.store.prepare({ files }, { signal });
  await disk.bucket.settled();
  assert.ok(existsSync(join(directory, 'lib/handler.js')));
  assert.equal(disk.installs, 1);
  assert.ok(world.warnings.includes('Cannot keep an artifact: it is made again if it is lost'));

  rmSync(world.shared);
  await disk.store.prepare({ files }, { signal });
  await disk.bucket.settled();
  assert.equal(world.kept('artifacts').length, 1, 'it is kept when it is used again');
});

test('locks come back, and a damaged one does not', async () => {
  await using world = new World();
  const first = world.open();
  const make = (text: string) => () => Promise.resolve(text);
  const lock = (disk: Disk, text: string): Promise<string> =>
    disk.directory.lock('some.json', { signal }, make(text));
  assert.equal(await lock(first, 'one'), 'one');
  await first.bucket.settled();
  assert.equal(await lock(world.open(), 'other'), 'one');
  for (const file of world.kept('locks')) writeFileSync(file, 'nonsense');
  assert.equal(await lock(world.open(), 'other'), 'other');
});

test('who only looks for packages is told that there are none, and who makes them is not', async () => {
  await using world = new World();
  const { directory } = world.open();
  const looked = directory.restored(digest, { signal });
  const made = directory.installed(digest, { signal }, async (staging) => {
    writeFileSync(join(staging, 'made'), '');
  });
  assert.equal(await looked, undefined);
  assert.ok(existsSync(join(await made, 'made')));
});

test('what no Revision has is removed, once it had its time, and packages with it', async () => {
  await using world = new World();
  const disk = world.open();
  const { digest: kept } = await disk.store.prepare({ files }, { signal });
  const other = { ...files, 'lib/handler.js': 'exports.main = () => 3;' };
  await disk.store.prepare({ files: other }, { signal });
  await disk.bucket.settled();
  assert.equal(world.kept('artifacts').length, 2);

  await disk.bucket.sweep(new Set([kept]));
  assert.equal(world.kept('artifacts').length, 2, 'it is too new');
  await world.clock.advance(2 * 86_400_000);
  await disk.bucket.sweep(new Set([kept]));
  assert.deepEqual(
    world.kept('artifacts').map((file) => basename(dirname(file))),
    [kept],
  );
  assert.equal(world.kept('dependencies').length, 1, 'it has these packages');

  await world.clock.advance(2 * 86_400_000);
  await disk.bucket.sweep(new Set());
  assert.deepEqual([...world.kept('artifacts'), ...world.kept('dependencies')], []);
});
