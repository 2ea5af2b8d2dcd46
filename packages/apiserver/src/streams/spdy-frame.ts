/** One frame of SPDY/3.1, or a piece of the payload of a large one. */
export type SpdyFrame =
  | {
      readonly type: 'synStream';
      readonly streamId: number;
      readonly fin: boolean;
      /** Compressed. */
      readonly headers: Uint8Array;
    }
  /** A reply, or more headers of a stream that is open: nothing that a server asks for. */
  | { readonly type: 'headers'; readonly streamId: number; readonly headers: Uint8Array }
  /** `fin` on the last piece of a frame that has it. */
  | {
      readonly type: 'data';
      readonly streamId: number;
      readonly fin: boolean;
      readonly bytes: Uint8Array;
    }
  | { readonly type: 'rstStream'; readonly streamId: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goAway'; readonly lastStreamId: number }
  | { readonly type: 'windowUpdate'; readonly streamId: number; readonly delta: number }
  /** SETTINGS, and what a later version may bring. */
  | { readonly type: 'other'; readonly number: number };

/** Numbers of the control frames (SPDY Protocol, Draft 3.1, §2.6). */
export const controlTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Why a stream is reset. */
export const resetStatus = { refusedStream: 3, cancel: 5 } as const;

export const frameHeaderBytes = 8;
export const finFlag = 0x01;
/** Lengths have 24 bits. */
export const payloadBytesMax = 0xff_ff_ff;
/** Stream ids and window deltas have 31 bits. */
export const mask31 = 0x7f_ff_ff_ff;

const controlBit = 0x80_00;
const version = 3;

/** The first 16 bits of every control frame. */
export const controlMark: number = controlBit | version;

function controlFrame(type: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(frameHeaderBytes);
  header.writeUInt16BE(controlMark);
  header.writeUInt16BE(type, 2);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** Accepts a stream; `headers` is a compressed block. */
export function encodeSynReply(streamId: number, headers: Uint8Array): Buffer {
  return controlFrame(controlTypes.synReply, Buffer.concat([words(streamId), headers]));
}

export function encodeRstStream(streamId: number, status: number): Buffer {
  return controlFrame(controlTypes.rstStream, words(streamId, status));
}

export function encodePing(id: number): Buffer {
  return controlFrame(controlTypes.ping, words(id));
}

/** No more streams are taken; `lastStreamId` is the last that was. */
export function encodeGoAway(lastStreamId: number): Buffer {
  return controlFrame(controlTypes.goAway, words(lastStreamId, 0));
}

export function encodeWindowUpdate(streamId: number, delta: number): Buffer {
  return controlFrame(controlTypes.windowUpdate, words(streamId, delta));
}

/** What stands before `length` bytes of data. */
export function encodeDataHeader(streamId: number, length: number, fin: boolean): Buffer {
  const header = words(streamId, length);
  if (fin) header.writeUInt8(finFlag, 4);
  return header;
}
