/** Numbers of RFC 6455, §5.2. */
export const opcodes = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const;

/** A control frame has no more payload (RFC 6455, §5.5). */
export const controlBytesMax = 125;

/** A control frame, or a piece of a message, as a client sent it; unmasked. */
export type WebSocketPiece =
  | { readonly type: 'close'; readonly payload: Uint8Array }
  | { readonly type: 'ping'; readonly payload: Uint8Array }
  | { readonly type: 'pong' }
  | {
      readonly type: 'data';
      /** Whether a message begins here. */
      readonly first: boolean;
      /** Whether a message ends here. */
      readonly last: boolean;
      readonly bytes: Uint8Array;
    };

/** What stands before `length` bytes of a frame from the server, which is never masked. */
export function encodeFrameHeader(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length <= 125) return Buffer.from([first, length]);
  if (length <= 0xffff) {
    const header = Buffer.from([first, 126, 0, 0]);
    header.writeUInt16BE(length, 2);
    return header;
  }
  const header = Buffer.alloc(10);
  header.writeUInt8(first);
  header.writeUInt8(127, 1);
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

/** A whole frame. */
export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  return Buffer.concat([encodeFrameHeader(opcode, payload.length), payload]);
}

/** A status and the reason for it, cut to what fits. */
export function encodeClose(status: number, reason: string): Buffer {
  const text = Buffer.from(reason).subarray(0, controlBytesMax - 2);
  const payload = Buffer.concat([Buffer.alloc(2), text]);
  payload.writeUInt16BE(status);
  return encodeFrame(opcodes.close, payload);
}
