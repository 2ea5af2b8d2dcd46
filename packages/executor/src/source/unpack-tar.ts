import { once } from 'node:events';
import { Parser, type ReadEntry } from 'tar';
import { invalidTree } from './tree-error.ts';
import type { TreeWriter } from './tree-writer.ts';

/** Unpacks a tar archive without compression. The writer is finished by whoever made it. */
export async function unpackTar(
  chunks: AsyncIterable<Uint8Array>,
  writer: TreeWriter,
): Promise<void> {
  const parser = new Parser({ strict: true, gzip: true, maxMetaEntrySize: 65_536 });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let written = Promise.resolve();
  let current: ReadEntry | undefined;
  parser.on('entry', (entry: ReadEntry) => {
    current = entry;
    written = written.then(() => writeEntry(entry, writer));
    written.catch(failed.reject);
  });
  parser.on('ignoredEntry', (entry: ReadEntry) => failed.reject(strange(entry)));
  parser.on('error', (cause: Error) => failed.reject(broken(cause)));
  let isWhole = false;
  parser.on('eof', () => {
    isWhole = true;
  });
  const end = once(parser, 'end');
  end.catch(() => {});
  try {
    for await (const chunk of chunks) {
      const isTaken = parser.write(chunk);
      await Promise.race([isTaken ? undefined : once(parser, 'drain'), failed.promise]);
    }
    parser.end();
    await Promise.race([end, failed.promise]);
    await Promise.race([written, failed.promise]);
  } catch (error) {
    // Who writes the rest of it would wait for ever.
    current?.destroy(error);
    await written.catch(() => {});
    throw error;
  }
  if (!isWhole) throw broken(new Error('it has no end'));
}

async function writeEntry(entry: ReadEntry, writer: TreeWriter): Promise<void> {
  const { type, path, linkpath = '', mode = 0 } = entry;
  switch (type) {
    case 'File':
    case 'OldFile':
    case 'ContiguousFile':
      return writer.file({ path, executable: (mode & 0o100) !== 0, content: entry });
    case 'SymbolicLink':
      writer.symbolicLink(path, linkpath);
      break;
    case 'Link':
      await writer.hardLink(path, linkpath);
      break;
    case 'Directory':
      // Directories come with their files.
      break;
    default:
      throw strange(entry);
  }
  entry.resume();
}

function strange({ type, path }: ReadEntry): Error {
  return invalidTree(`"${path}" of type ${type}`, 'files, directories and links');
}

function broken(cause: Error): Error {
  return invalidTree(`a broken tar archive (${cause.message})`, 'a whole one', cause);
}
