/**
 * Owns the channels of one WebSocket of Kubernetes: the first byte of a message says which one the
 * rest belongs to (`channel.k8s.io`), or a digit before base64 in text messages.
 *
 * I1. A channel without an inlet is not asked for: what comes on it is dropped.
 */
import { Writable } from 'node:stream';
import { createInlet, type Inlet } from './inlet.ts';
import {
  closeStatus,
  type MessagePiece,
  type WebSocketConnection,
} from './websocket-connection.ts';

/** What differs between the versions of the channel protocol. */
export interface ChannelProtocol {
  readonly name: string;
  readonly isBase64: boolean;
  /** The end is told as a Status (v4); before, as a text. */
  readonly isStatus: boolean;
  /** Channel 255 closes the channel that its message names (v5). */
  readonly hasClose: boolean;
}

const plain = { isBase64: false, isStatus: false, hasClose: false };

/** Channel protocols of exec, attach and portforward. A client that names none means the first. */
export const channelProtocols: readonly ChannelProtocol[] = [
  { ...plain, name: '' },
  { ...plain, name: 'v5.channel.k8s.io', isStatus: true, hasClose: true },
  { ...plain, name: 'v4.channel.k8s.io', isStatus: true },
  { ...plain, name: 'v4.base64.channel.k8s.io', isStatus: true, isBase64: true },
  { ...plain, name: 'channel.k8s.io' },
  { ...plain, name: 'base64.channel.k8s.io', isBase64: true },
];

const closeChannel = 255;
const digitZero = 0x30;

export class WebSocketChannels {
  readonly #connection: WebSocketConnection;
  readonly #protocol: ChannelProtocol;
  readonly #inlets = new Map<number, Inlet>();
  /** The channel of the message that is being read; `undefined` at its beginning. */
  #channel: number | undefined;
  /** Characters of base64 that do not make a byte yet. */
  #characters = '';

  constructor(connection: WebSocketConnection, protocol: ChannelProtocol) {
    this.#connection = connection;
    this.#protocol = protocol;
  }

  /** From now on what comes on this channel is kept for a reader. */
  inlet(channel: number): Inlet {
    const inlet = createInlet();
    this.#inlets.set(channel, inlet);
    return inlet;
  }

  /** A way to send on this channel. */
  outlet(channel: number): Writable {
    const outlet = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#send(channel, chunk, done),
    });
    outlet.on('error', () => {});
    return outlet;
  }

  /** An empty message: tells the client that the channel is open. */
  open(channel: number): void {
    this.#send(channel, Buffer.alloc(0), () => {});
  }

  /** Reads until the connection ends; never rejects. No inlet outlives it. */
  async run(): Promise<void> {
    for await (const piece of this.#connection.pieces()) await this.#take(piece);
    for (const inlet of this.#inlets.values()) inlet.abort(new Error('the client has left'));
  }

  close(): void {
    this.#connection.close(closeStatus.normal, '');
  }

  #send(channel: number, chunk: Buffer, done: (error?: Error | null) => void): void {
    if (this.#protocol.isBase64) {
      const text = Buffer.from(`${channel}${chunk.toString('base64')}`);
      this.#connection.send('text', [text], done);
    } else {
      this.#connection.send('binary', [Buffer.from([channel]), chunk], done);
    }
  }

  async #take({ first, bytes }: MessagePiece): Promise<void> {
    if (first) {
      this.#channel = undefined;
      this.#characters = '';
    }
    let rest = bytes;
    if (this.#channel === undefined) {
      const [number] = rest;
      if (number === undefined) return;
      this.#channel = this.#protocol.isBase64 ? number - digitZero : number;
      rest = rest.subarray(1);
    }
    if (this.#protocol.hasClose && this.#channel === closeChannel) {
      for (const channel of rest) this.#inlets.get(channel)?.end();
      return;
    }
    await this.#inlets.get(this.#channel)?.write(this.#decode(rest));
  }

  // Four characters make three bytes; a piece may end anywhere.
  #decode(bytes: Uint8Array): Uint8Array {
    if (!this.#protocol.isBase64) return bytes;
    const text = this.#characters + Buffer.from(bytes).toString('latin1');
    const whole = text.length - (text.length % 4);
    this.#characters = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  }
}
