/** A client of HTTP/2 that sends frames as they are told, whether they are allowed or not. */
import type { RawClient, Rig } from './rig.ts';

export const frameTypes = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { none: 0, endStream: 1, endHeaders: 4, ack: 1 } as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export type FieldList = readonly (readonly [name: string, value: string])[];

/** What every request has. */
export const usualFields: FieldList = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'localhost'],
  [':path', '/default/hello/'],
];

/** The usual fields with some replaced, where they stand, or added. */
export function fieldsWith(...changes: FieldList): FieldList {
  const names = new Set(usualFields.map(([name]) => name));
  const changed = new Map(changes.filter(([name]) => names.has(name)));
  return [
    ...usualFields.map(([name, value]) => [name, changed.get(name) ?? value] as const),
    ...changes.filter(([name]) => !names.has(name)),
  ];
}

/** Fields as literals that nobody remembers (RFC 7541 §6.2.2). */
export function encodeFields(fields: FieldList): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.of(0), encodeText(name), encodeText(value)]),
  );
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const length: number[] = [];
  if (bytes.length < 127) {
    length.push(bytes.length);
  } else {
    length.push(127);
    let rest = bytes.length - 127;
    for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

export function encodeFrame({ type, flags: set, stream, payload }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = set;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function headersFrame(stream: number, fields: FieldList, set: number): Buffer {
  return encodeFrame({
    type: frameTypes.headers,
    flags: set,
    stream,
    payload: encodeFields(fields),
  });
}

export function resetFrame(stream: number): Buffer {
  return encodeFrame({ type: frameTypes.reset, flags: 0, stream, payload: Buffer.of(0, 0, 0, 8) });
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export class FrameClient {
  readonly raw: RawClient;

  /** `settings`: numbers and values in turn, such as 4 for the initial window. */
  constructor(rig: Rig, settings: readonly number[] = []) {
    this.raw = rig.client();
    const payload = Buffer.alloc(settings.length * 3);
    for (let i = 0; i < settings.length; i += 2) {
      payload.writeUInt16BE(settings[i] ?? 0, i * 3);
      payload.writeUInt32BE(settings[i + 1] ?? 0, i * 3 + 2);
    }
    this.raw.send(preface);
    this.send(encodeFrame({ type: frameTypes.settings, flags: 0, stream: 0, payload }));
  }

  send(...frames: readonly Buffer[]): void {
    this.raw.send(Buffer.concat(frames).toString('latin1'));
  }

  /** What came so far. */
  get frames(): readonly Frame[] {
    const bytes = Buffer.from(this.raw.received, 'latin1');
    const frames: Frame[] = [];
    for (let at = 0; at + 9 <= bytes.length; ) {
      const length = bytes.readUIntBE(at, 3);
      if (at + 9 + length > bytes.length) break;
      frames.push({
        type: bytes[at + 3] ?? 0,
        flags: bytes[at + 4] ?? 0,
        stream: bytes.readUInt32BE(at + 5),
        payload: bytes.subarray(at + 9, at + 9 + length),
      });
      at += 9 + length;
    }
    return frames;
  }

  /** Waits for a frame of this type, on this stream. */
  async frame(type: number, stream = 0): Promise<Frame> {
    const find = (): Frame | undefined =>
      this.frames.find((frame) => frame.type === type && frame.stream === stream);
    await this.raw.until(() => find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error('There is no such frame');
    return found;
  }

  /** Waits until a stream has come to its end: an answer, or RST_STREAM with its code. */
  async outcome(stream: number): Promise<'answer' | number> {
    const ended = ({ type, flags: set, stream: id }: Frame): boolean =>
      id === stream &&
      (type === frameTypes.reset ||
        ((type === frameTypes.headers || type === frameTypes.data) &&
          (set & flags.endStream) !== 0));
    await this.raw.until(() => this.frames.some(ended));
    const last = this.frames.find(ended);
    return last?.type === frameTypes.reset ? last.payload.readUInt32BE(0) : 'answer';
  }
}
