/**
 * The lines of a byte stream, each without its end, blank ones left out. Bytes after the last
 * newline are a line as well.
 *
 * @throws RangeError when a line is longer than `lineBytesMax`
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<string, void, undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const finish = (last: Uint8Array): string => {
    const line = Buffer.concat([...parts, last]).toString('utf8');
    parts = [];
    size = 0;
    return line.trim();
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = finish(chunk.subarray(start, end));
      start = end + 1;
      if (line !== '') yield line;
    }
    parts.push(chunk.subarray(start));
    size += chunk.byteLength - start;
    if (size > lineBytesMax) {
      throw new RangeError(`a line of more than ${size} bytes, expected at most ${lineBytesMax}`);
    }
  }
  const rest = finish(new Uint8Array());
  if (rest !== '') yield rest;
}

const newline = 0x0a;
