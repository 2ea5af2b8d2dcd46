/** What Pods fetch, on a disk that others write to as well. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ArtifactArchives } from '../src/cluster/artifact-archives.ts';
import { clusterLimits } from '../src/cluster/limits.ts';

const root = mkdtempSync(join(tmpdir(), 'archives-'));

after(() => rmSync(root, { recursive: true }));

test('an archive that somebody removes is made again, the same, for all who ask', async () => {
  const source = join(root, 'artifact', 'source');
  mkdirSync(source, { recursive: true });
  // Too much to travel with a message.
  writeFileSync(join(source, 'large'), randomBytes(2 * clusterLimits.inlineBytesMax));
  const archives = new ArtifactArchives(join(root, 'archives'));
  const before = await archives.of(source);
  const file = archives.find(before.source.digest);
  assert.ok(file !== undefined);
  rmSync(file);
  const [one, other] = await Promise.all([archives.of(source), archives.of(source)]);
  assert.deepEqual([one, other], [before, before]);
  assert.equal(archives.find(before.source.digest), file);
});
