/**
 * Owns one SPDY/3.1 connection as its server: the streams that the client opened, the compression
 * state of their headers, and what is written to the socket.
 *
 * I1. Frames are handled one after another; the next one is read when the last found room. A
 *     stream that nobody reads holds up the connection, as in Kubernetes: client-go neither sends
 *     nor heeds WINDOW_UPDATE, so only TCP can slow it. To clients that count, updates are sent.
 * I2. A stream is answered (SYN_REPLY) before it is handed out.
 * I3. `run` ends when the connection has ended, for whatever reason; no stream outlives it.
 */
import { type Duplex, type Readable, Writable } from 'node:stream';
import { spdyStreamsMax, unsentControlBytesMax } from '../limits.ts';
import { createInlet, type Inlet } from './inlet.ts';
import {
  encodeDataHeader,
  encodeGoAway,
  encodePing,
  encodeRstStream,
  encodeSynReply,
  encodeWindowUpdate,
  payloadBytesMax,
  resetStatus,
  type SpdyFrame,
} from './spdy-frame.ts';
import { SpdyFrameParser } from './spdy-frame-parser.ts';
import { encodeHeaderBlock, HeaderInflater, type SpdyHeaders } from './spdy-headers.ts';

/** A stream that the client opened; each direction ends for itself. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly incoming: Readable;
  readonly outgoing: Writable;
}

interface OpenStream extends SpdyStream {
  readonly inlet: Inlet;
  /** Bytes that were taken since the last WINDOW_UPDATE. */
  unacknowledged: number;
}

/** Half of the window that a stream begins with. */
const windowUpdateBytes = 32_768;

export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #parser = new SpdyFrameParser();
  readonly #inflater = new HeaderInflater();
  readonly #streams = new Map<number, OpenStream>();
  #lastStreamId = 0;
  #isFirstReply = true;

  /** `onStream` hears of each stream in the tick in which it was answered. */
  constructor(socket: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#onStream = onStream;
    socket.on('error', () => {});
  }

  /** Reads until the connection ends; never rejects. */
  async run(): Promise<void> {
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        if (!(chunk instanceof Uint8Array)) continue;
        for (const frame of this.#parser.push(chunk)) await this.#handle(frame);
      }
    } catch {
      // A client that left, or speaks something else: there is nobody to tell.
    }
    this.#inflater.close();
    for (const stream of this.#streams.values()) this.#drop(stream);
    this.close();
  }

  /** Says goodbye; nothing is sent after it. The client then ends the connection. */
  close(): void {
    if (this.#socket.writable) this.#socket.end(encodeGoAway(this.#lastStreamId));
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case 'synStream':
        return this.#open(frame.streamId, frame.fin, await this.#inflater.read(frame.headers));
      case 'headers':
        // Read only because the compression goes on from it.
        await this.#inflater.read(frame.headers);
        return;
      case 'data':
        return this.#onData(frame.streamId, frame.fin, frame.bytes);
      case 'rstStream': {
        const stream = this.#streams.get(frame.streamId);
        if (stream !== undefined) this.#drop(stream);
        return;
      }
      case 'ping':
        // Even ids would be answers to pings of ours.
        if (frame.id % 2 === 1) await this.#send(encodePing(frame.id));
        return;
      case 'goAway':
      case 'windowUpdate':
      case 'other':
        return;
    }
  }

  async #open(id: number, fin: boolean, headers: SpdyHeaders): Promise<void> {
    if (this.#streams.size >= spdyStreamsMax || id <= this.#lastStreamId || id % 2 === 0) {
      return this.#send(encodeRstStream(id, resetStatus.refusedStream));
    }
    this.#lastStreamId = id;
    const inlet = createInlet();
    const stream: OpenStream = {
      ...{ id, headers, inlet, incoming: inlet.readable, unacknowledged: 0 },
      outgoing: this.#createOutgoing(id),
    };
    this.#streams.set(id, stream);
    for (const end of [stream.incoming, stream.outgoing]) {
      end.once('close', () => this.#forgetWhenDone(stream));
    }
    if (fin) inlet.end();
    const reply = encodeSynReply(id, encodeHeaderBlock({}, this.#isFirstReply));
    this.#isFirstReply = false;
    const sent = this.#send(reply);
    this.#onStream(stream);
    await sent;
  }

  async #onData(id: number, fin: boolean, bytes: Uint8Array): Promise<void> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    await stream.inlet.write(bytes);
    if (fin) return stream.inlet.end();
    stream.unacknowledged += bytes.length;
    if (stream.unacknowledged < windowUpdateBytes) return;
    const delta = stream.unacknowledged;
    stream.unacknowledged = 0;
    await this.#send(encodeWindowUpdate(id, delta));
  }

  #createOutgoing(id: number): Writable {
    const outgoing = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#sendData(id, chunk, done),
      final: (done) => {
        this.#socket.write(encodeDataHeader(id, 0, true));
        done();
      },
      destroy: (error, done) => {
        const isCut = !outgoing.writableFinished && this.#socket.writable;
        if (isCut) this.#socket.write(encodeRstStream(id, resetStatus.cancel));
        done(error);
      },
    });
    outgoing.on('error', () => {});
    return outgoing;
  }

  #sendData(id: number, chunk: Buffer, done: (error?: Error | null) => void): void {
    const now = chunk.subarray(0, payloadBytesMax);
    const later = chunk.subarray(payloadBytesMax);
    this.#socket.cork();
    this.#socket.write(encodeDataHeader(id, now.length, false));
    this.#socket.write(now, later.length > 0 ? () => this.#sendData(id, later, done) : done);
    this.#socket.uncork();
  }

  // Waits for a client that does not read: one that only asks must not make answers pile up.
  async #send(frame: Uint8Array): Promise<void> {
    const sent = new Promise<void>((resolve) => {
      this.#socket.write(frame, () => resolve());
    });
    if (this.#socket.writableLength > unsentControlBytesMax) await sent;
  }

  #drop(stream: OpenStream): void {
    this.#streams.delete(stream.id);
    stream.inlet.abort(new Error('the stream was reset'));
    if (!stream.outgoing.writableFinished) stream.outgoing.destroy();
  }

  #forgetWhenDone(stream: OpenStream): void {
    if (stream.incoming.closed && stream.outgoing.closed) this.#streams.delete(stream.id);
  }
}
