import { createHash } from 'node:crypto';

// Proves that the answer is meant for this handshake (RFC 6455, §1.3).
const handshakeGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The Sec-WebSocket-Accept for a Sec-WebSocket-Key. */
export function acceptKey(key: string): string {
  return createHash('sha1').update(`${key}${handshakeGuid}`).digest('base64');
}

/** The values of a header that is a list, such as `v5.channel.k8s.io, v4.channel.k8s.io`. */
export function parseList(header: string | undefined): readonly string[] {
  return (header ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/** The first protocol of the client's that the server knows. */
export function negotiateProtocol<T extends string>(
  offered: readonly string[],
  known: readonly T[],
): T | undefined {
  for (const name of offered) {
    const found = known.find((candidate) => candidate === name);
    if (found !== undefined) return found;
  }
  return undefined;
}
