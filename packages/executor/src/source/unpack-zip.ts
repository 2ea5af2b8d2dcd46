import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ArtifactError } from '../artifact-error.ts';
import { invalidTree } from './tree-error.ts';
import type { TreeWriter } from './tree-writer.ts';

// Of the Unix mode that archives from Unix have in the upper half of their attributes.
const fileType = 0o170000;
const symbolicLink = 0o120000;
const plainTypes: ReadonlySet<number> = new Set([0, 0o100000, 0o040000, symbolicLink]);
const linkTargetBytesMax = 4_096;

/** Unpacks a zip archive. The writer is finished by whoever made it. */
export async function unpackZip(path: string, writer: TreeWriter): Promise<void> {
  const zip = await openPromise(path, { lazyEntries: true, strictFileNames: true }).catch(broken);
  try {
    for await (const entry of zip.eachEntry()) await unpackEntry(zip, entry, writer);
  } catch (error) {
    if (error instanceof ArtifactError) throw error;
    broken(error);
  } finally {
    zip.close();
  }
}

async function unpackEntry(zip: ZipFile, entry: Entry, writer: TreeWriter): Promise<void> {
  const { fileName: path } = entry;
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & fileType;
  if (!plainTypes.has(type)) {
    throw invalidTree(`"${path}", which is a device`, 'files, directories and links');
  }
  if (path.endsWith('/')) return;
  if (entry.isEncrypted()) throw invalidTree(`"${path}" encrypted`, 'files that can be read');
  const content = readEntry(zip, entry);
  if (type === symbolicLink) writer.symbolicLink(path, await readLinkTarget(path, content));
  else await writer.file({ path, executable: (mode & 0o100) !== 0, content });
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await zip.openReadStreamPromise(entry);
  let sum = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) throw invalidTree(`"${entry.fileName}" damaged`, 'a whole archive');
}

async function readLinkTarget(path: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > linkTargetBytesMax) throw invalidTree(`the link "${path}" to a novel`, 'a path');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function broken(cause: unknown): never {
  const found = cause instanceof Error ? cause.message : 'an error';
  throw invalidTree(`a broken zip archive (${found})`, 'a whole one', cause);
}
