import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { LocalTree } from './source-files.ts';

/** A source as an archive, in a file that is gone once it is disposed of. */
export interface PackedSource extends AsyncDisposable {
  readonly path: string;
  readonly bytes: number;
  /** Its sha256 in hex. */
  readonly digest: string;
}

/** Packs a source as tar.gz. The same files give the same bytes, whoever packs them, and when. */
export async function packSource({ root, names }: LocalTree): Promise<PackedSource> {
  // Loaded by those who need it: most sources fit into the Function.
  const { create } = await import('tar');
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-source-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const path = join(directory, 'source.tar.gz');
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    // `portable` leaves out who owns the files; a time of its own is what remains to be fixed.
    const options = { cwd: root, portable: true, mtime: new Date(0), noDirRecurse: true };
    const archive = create({ ...options, strict: true }, [...names]);
    await pipeline(
      archive,
      createGzip(),
      async function* count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(path, { mode: 0o600 }),
    );
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, bytes, digest: hash.digest('hex'), [Symbol.asyncDispose]: remove };
}
