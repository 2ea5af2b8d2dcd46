/**
 * Writes a folder as an image of one layer, in the form that `docker save` writes and containerd
 * imports: `image.ts FOLDER OUTPUT NAME…`.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [folder = '', output = '', ...names] = process.argv.slice(2);
const work = await mkdtemp(join(dirname(resolve(output)), '.image-'));
try {
  const layer = join(work, 'layer.tar');
  execFileSync('tar', ['-C', folder, '--numeric-owner', '--sort=name', '-cf', layer, '.']);
  const hash = createHash('sha256');
  await pipeline(createReadStream(layer), hash);
  const config = JSON.stringify({
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      ...(names.includes('pause:local') ? { Entrypoint: ['/pause'] } : {}),
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${hash.digest('hex')}`] },
  });
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
  await writeFile(join(work, configName), config);
  const manifest = [{ Config: configName, RepoTags: names, Layers: ['layer.tar'] }];
  await writeFile(join(work, 'manifest.json'), JSON.stringify(manifest));
  const parts = ['manifest.json', configName, 'layer.tar'];
  execFileSync('tar', ['-C', work, '-cf', resolve(output), ...parts]);
} finally {
  await rm(work, { recursive: true, force: true });
}
