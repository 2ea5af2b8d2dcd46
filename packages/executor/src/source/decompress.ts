import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorMessage, hasCode } from '@fnlet/base';
import { ArtifactError } from '../artifact-error.ts';
import { limits } from '../limits.ts';
import type { Reaper } from '../reaper.ts';
import type { ArchiveFormat } from './archive-format.ts';
import { invalidTree, treeTooLarge } from './tree-error.ts';

export interface Packed {
  readonly path: string;
  readonly format: Exclude<ArchiveFormat, 'zip'>;
  readonly reaper: Reaper;
  readonly signal: AbortSignal;
}

interface Unpacking {
  readonly output: Readable;
  /** Rejects when it failed, whatever came out before. */
  readonly ended: Promise<void>;
  stop(): void;
}

/**
 * The bytes of a tar archive without compression.
 *
 * @throws ArtifactError `InvalidArchive`, `TooLarge`
 */
export async function* decompress(packed: Packed): AsyncGenerator<Uint8Array> {
  const { path, format, signal } = packed;
  const input = createReadStream(path, { signal });
  const { output, ended, stop } = startUnpacking(packed, input);
  ended.catch(() => {});
  let bytes = 0;
  try {
    for await (const chunk of output) {
      if (!(chunk instanceof Uint8Array)) continue;
      bytes += chunk.byteLength;
      const isBomb = bytes > input.bytesRead * limits.unpackRatioMax;
      if (bytes > limits.unpackRatioFromBytes && isBomb) {
        throw treeTooLarge('far more bytes than were packed', 'an archive of files');
      }
      yield chunk;
    }
    await ended;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ArtifactError) throw error;
    const found = `a broken ${format} archive (${errorMessage(error)})`;
    throw invalidTree(found, 'a whole one', error);
  } finally {
    stop();
    input.destroy();
  }
}

function startUnpacking({ format, reaper }: Packed, input: Readable): Unpacking {
  switch (format) {
    case 'tar':
      return { output: input, ended: Promise.resolve(), stop: () => {} };
    case 'tar.gz':
      return {
        // How it ends is seen by who reads the last stream.
        output: pipeline(input, createGunzip(), () => {}),
        ended: Promise.resolve(),
        stop: () => {},
      };
    case 'tar.bz2':
      return runProgram('bzip2', input, reaper);
    case 'tar.xz':
      return runProgram('xz', input, reaper);
  }
}

/** A program of its own: what it takes to unpack is not taken from the calls of functions. */
function runProgram(program: string, input: Readable, reaper: Reaper): Unpacking {
  const child = spawn(program, ['-dc'], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid !== undefined) reaper.add(pid);
  // It may have seen enough before all is written.
  pipeline(input, child.stdin, () => {});
  return {
    output: child.stdout,
    ended: untilEnded(child, program),
    stop: () => {
      if (pid !== undefined) reaper.remove(pid);
    },
  };
}

async function untilEnded(child: ChildProcess, program: string): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, limits.gitLineCharactersMax);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    const message = `Cannot unpack the source: found no program "${program}", expected it here`;
    const remedy = `Install ${program}, or give the source as zip or tar.gz.`;
    throw new ArtifactError('InvalidArchive', message, { cause: error, retry: 'later', remedy });
  });
  if (code !== 0) throw new Error(said.trim() === '' ? `${program} failed` : said.trim());
}
