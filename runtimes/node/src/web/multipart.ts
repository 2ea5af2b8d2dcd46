/** A form as multipart/form-data (RFC 7578). */
export interface Multipart {
  readonly type: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Encodes a form; files are read as the chunks are taken. */
export function encodeMultipart(form: FormData): Multipart {
  const boundary = `----fnlet-${crypto.randomUUID()}`;
  return { type: `multipart/form-data; boundary=${boundary}`, chunks: parts(form, boundary) };
}

async function* parts(form: FormData, boundary: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const [name, value] of form) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
    if (typeof value === 'string') {
      yield encoder.encode(`${head}\r\n\r\n${value.replace(/\r\n|\r|\n/g, '\r\n')}\r\n`);
      continue;
    }
    const type = value.type === '' ? 'application/octet-stream' : value.type;
    const file = `; filename="${quoted(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`;
    yield encoder.encode(head + file);
    for await (const chunk of value.stream()) yield chunk;
    yield encoder.encode('\r\n');
  }
  yield encoder.encode(`--${boundary}--\r\n`);
}

function quoted(name: string): string {
  return name.replace(/\r\n|\r|\n/g, '%0D%0A').replace(/"/g, '%22');
}
