export type ArchiveFormat = 'zip' | 'tar' | 'tar.gz' | 'tar.bz2' | 'tar.xz';

/** How many bytes {@link detectFormat} looks at. */
export const formatBytes = 512;

const signatures: readonly (readonly [ArchiveFormat, number, readonly number[]])[] = [
  ['zip', 0, [0x50, 0x4b, 0x03, 0x04]],
  // An archive without entries.
  ['zip', 0, [0x50, 0x4b, 0x05, 0x06]],
  ['tar.gz', 0, [0x1f, 0x8b]],
  ['tar.bz2', 0, [0x42, 0x5a, 0x68]],
  ['tar.xz', 0, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['tar', 257, [...Buffer.from('ustar')]],
];

/** What an archive is, by its first bytes: names and media types are often wrong. */
export function detectFormat(head: Uint8Array): ArchiveFormat | undefined {
  return signatures.find(([, offset, bytes]) =>
    bytes.every((byte, i) => head[offset + i] === byte),
  )?.[0];
}
