/** Loaded when the first archive, or the first repository, is a source. */
import { open } from 'node:fs/promises';
import type { Reaper } from '../reaper.ts';
import { type ArchiveFormat, detectFormat, formatBytes } from './archive-format.ts';
import { decompress } from './decompress.ts';
import { invalidTree } from './tree-error.ts';
import { TreeWriter } from './tree-writer.ts';
import { unpackTar } from './unpack-tar.ts';
import { unpackZip } from './unpack-zip.ts';

export interface UnpackOptions {
  /** An empty directory. */
  readonly target: string;
  /** Where in the archive the source is; empty for its root. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

/**
 * Unpacks an archive that anybody may have made.
 *
 * @throws ArtifactError `InvalidArchive`, `TooLarge`, `SourceNotFound`
 */
export async function unpackArchive(
  path: string,
  options: UnpackOptions & { readonly reaper: Reaper },
): Promise<void> {
  const { target, directory, signal, reaper } = options;
  const format = await readFormat(path);
  const writer = new TreeWriter(target, directory);
  if (format === 'zip') await unpackZip(path, writer);
  else await unpackTar(decompress({ path, format, reaper, signal }), writer);
  signal.throwIfAborted();
  await writer.finish();
}

/**
 * Unpacks tar as it comes, from a program of ours.
 *
 * @throws ArtifactError `InvalidArchive`, `TooLarge`, `SourceNotFound`
 */
export async function unpackTarStream(
  chunks: AsyncIterable<Uint8Array>,
  options: UnpackOptions,
): Promise<void> {
  const writer = new TreeWriter(options.target, options.directory);
  await unpackTar(chunks, writer);
  options.signal.throwIfAborted();
  await writer.finish();
}

async function readFormat(path: string): Promise<ArchiveFormat> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(formatBytes) });
    const format = detectFormat(buffer.subarray(0, bytesRead));
    if (format !== undefined) return format;
    throw invalidTree('a file of another kind', 'zip, tar, tar.gz, tar.bz2 or tar.xz');
  } finally {
    await file.close();
  }
}
