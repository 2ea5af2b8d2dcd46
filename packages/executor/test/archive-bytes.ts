// Archives made byte by byte, so that they can hold what no honest program writes.
import { crc32, deflateRawSync } from 'node:zlib';

export interface TarEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** The type flag of ustar: `0` file, `1` hard link, `2` symbolic link, `3` device, `5` directory. */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
}

/** A tar archive in the ustar format. */
export function tarBytes(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ path, content = '', type = '0', link = '', mode = 0o644 }) => {
    const body = Buffer.from(content);
    const head = Buffer.alloc(512);
    head.write(path, 0, 100);
    head.write(mode.toString(8).padStart(7, '0'), 100);
    head.write('0000000\0'.repeat(2), 108);
    head.write(body.length.toString(8).padStart(11, '0'), 124);
    head.write('00000000000', 136);
    head.write('        ', 148);
    head.write(type, 156);
    head.write(link, 157, 100);
    head.write('ustar\u000000', 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [head, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

export interface ZipEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** Unix mode with the type of the file. */
  readonly mode?: number;
  /** What the archive says about its size; default the truth. */
  readonly toldBytes?: number;
  /** What the archive says about its checksum; default the truth. */
  readonly toldSum?: number;
}

/** A zip archive of deflated files. */
export function zipBytes(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content = '', mode = 0o100644, toldBytes, toldSum } of entries) {
    const name = Buffer.from(path);
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(0x800, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(toldSum ?? crc32(plain), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(toldBytes ?? plain.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, name, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(mode * 65_536, 6);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), madeBy, facts, rest, name]));
    bodies.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, index, end]);
}
