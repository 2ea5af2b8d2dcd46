import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fs } from '../builtins.ts';
import { limits } from '../limits.ts';
import { ByteReader } from './byte-reader.ts';
import { parseTarHeader, parseTarRecords, type TarHeader } from './tar-header.ts';

/**
 * Unpacks a tar archive into an empty directory. A Runner brings no packages along, so it reads
 * what Fnlet writes by itself: files, directories, symbolic links, long names.
 *
 * I1. Nothing is written outside of the directory: a path that leads out is refused, and links are
 *     made last, when nothing could be written through them any more.
 *
 * @throws Error that says what is wrong with it
 */
export async function unpackTar(
  chunks: AsyncIterable<Uint8Array>,
  directory: string,
): Promise<void> {
  const reader = new ByteReader(chunks);
  const links: TarHeader[] = [];
  let bytes = 0;
  let entries = 0;
  for await (const header of headersOf(reader)) {
    const target = placeOf(directory, header.path);
    bytes += header.size;
    entries += 1;
    if (bytes > limits.podFilesBytesMax || entries > limits.podFilesMax) {
      throw new Error('it is larger than a Runner unpacks');
    }
    if (header.type === 'link') links.push(header);
    else if (header.type === 'directory') fs.mkdirSync(target, { recursive: true });
    else await writeFile(target, header, reader);
  }
  // What comes after the end counts for the digest, too.
  await reader.skipRest();
  for (const { path, linkPath } of links) {
    const target = placeOf(directory, path);
    if (isAbsolute(linkPath)) throw new Error(`a link of it, "${path}", leads out of it`);
    placeOf(directory, join(dirname(path), linkPath));
    fs.mkdirSync(dirname(target), { recursive: true });
    fs.symlinkSync(linkPath, target);
  }
}

/** The headers, with what extended headers say; the content of files is left to be read. */
async function* headersOf(reader: ByteReader): AsyncGenerator<TarHeader> {
  let records: ReadonlyMap<string, string> = new Map();
  for (;;) {
    const block = await reader.read(512);
    if (block === undefined) throw new Error('it has no end');
    const header = parseTarHeader(block);
    if (header === undefined) return;
    if (header.type === 'records') {
      if (header.size > limits.tarRecordsBytesMax) throw new Error('a header of it is too long');
      records = parseTarRecords((await reader.read(header.size)) ?? Buffer.alloc(0));
      await skipPadding(reader, header.size);
      continue;
    }
    const size = records.get('size');
    yield {
      ...header,
      path: records.get('path') ?? header.path,
      linkPath: records.get('linkpath') ?? header.linkPath,
      size: size === undefined ? header.size : Number(size),
    };
    records = new Map();
  }
}

async function writeFile(
  target: string,
  { size, mode }: TarHeader,
  reader: ByteReader,
): Promise<void> {
  fs.mkdirSync(dirname(target), { recursive: true });
  const file = fs.openSync(target, 'wx', (mode & 0o100) === 0 ? 0o444 : 0o555);
  try {
    let left = size;
    for await (const piece of reader.pieces(size)) {
      fs.writeFileSync(file, piece);
      left -= piece.length;
    }
    if (left > 0) throw new Error(`it ends ${left} bytes too early`);
  } finally {
    fs.closeSync(file);
  }
  await skipPadding(reader, size);
}

async function skipPadding(reader: ByteReader, size: number): Promise<void> {
  await reader.read((512 - (size % 512)) % 512);
}

function placeOf(directory: string, path: string): string {
  const target = resolve(directory, path);
  const inside = relative(directory, target);
  if (isAbsolute(path) || inside === '..' || inside.startsWith('../')) {
    throw new Error(`a path of it, "${path}", leads out of it`);
  }
  return target;
}
