/** What one header of a tar archive says (POSIX.1-2017, pax, "ustar Interchange Format"). */
export interface TarHeader {
  readonly type: 'file' | 'directory' | 'link' | 'records';
  readonly path: string;
  readonly linkPath: string;
  /** Permission bits. */
  readonly mode: number;
  /** Bytes of content, which follow in blocks of 512. */
  readonly size: number;
}

const types: Readonly<Record<string, TarHeader['type']>> = {
  '\0': 'file',
  '0': 'file',
  '2': 'link',
  '5': 'directory',
  x: 'records',
};

/**
 * Reads a header of 512 bytes; `undefined` for the block of zeros at the end.
 *
 * @throws Error for one that is damaged, or of a type that no archive of ours has
 */
export function parseTarHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (readOctal(block, 148, 8) !== checksum(block)) throw new Error('a header of it is damaged');
  const flag = String.fromCharCode(block[156] ?? 0);
  const type = types[flag];
  if (type === undefined) throw new Error(`it holds an entry of type "${flag}"`);
  const prefix = readText(block, 345, 155);
  const name = readText(block, 0, 100);
  return {
    type,
    path: prefix === '' ? name : `${prefix}/${name}`,
    linkPath: readText(block, 157, 100),
    mode: readOctal(block, 100, 8),
    size: readOctal(block, 124, 12),
  };
}

/** Reads the records of an extended header: `<length> <key>=<value>\n`, the length of all of it. */
export function parseTarRecords(content: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  let at = 0;
  while (at < content.length) {
    const space = content.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(content.toString('latin1', at, space));
    const end = at + length;
    if (!Number.isInteger(length) || end <= space + 1 || end > content.length) {
      throw new Error('an extended header of it is damaged');
    }
    const [key, ...value] = content.toString('utf8', space + 1, end - 1).split('=');
    if (key !== undefined) records.set(key, value.join('='));
    at = end;
  }
  return records;
}

function readText(block: Buffer, start: number, length: number): string {
  const bytes = block.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? length : end);
}

function readOctal(block: Buffer, start: number, length: number): number {
  const text = readText(block, start, length).trim();
  const value = text === '' ? 0 : Number.parseInt(text, 8);
  if (Number.isNaN(value)) throw new Error('a number in it is none');
  return value;
}

// The field of the sum itself counts as spaces.
function checksum(block: Buffer): number {
  let sum = 0;
  for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}
