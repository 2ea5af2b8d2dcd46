/**
 * Owns one WebSocket as its server (RFC 6455): answers pings, takes part in the closing, and
 * hands on the pieces of messages in order.
 *
 * I1. The next piece is read when the last one was taken: a slow reader slows its sender.
 * I2. At most one close frame is sent, and nothing after it.
 */
import type { Duplex } from 'node:stream';
import { unsentControlBytesMax } from '../limits.ts';
import { encodeClose, encodeFrame, encodeFrameHeader, opcodes } from './websocket-frame.ts';
import { WebSocketFrameParser } from './websocket-frame-parser.ts';

/** A piece of a message: of any length, possibly none. */
export interface MessagePiece {
  readonly first: boolean;
  readonly last: boolean;
  readonly bytes: Uint8Array;
}

/** Why a connection is closed (RFC 6455, §7.4.1). */
export const closeStatus = { normal: 1000, protocolError: 1002 } as const;

export class WebSocketConnection {
  readonly #socket: Duplex;
  #closeSent = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('error', () => {});
  }

  /** What the client sends, until it closes or leaves. Read it once; it never throws. */
  async *pieces(): AsyncGenerator<MessagePiece, void, undefined> {
    const parser = new WebSocketFrameParser();
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) {
        if (!(chunk instanceof Uint8Array)) continue;
        for (const piece of parser.push(chunk)) {
          if (piece.type === 'data') yield piece;
          else if (piece.type === 'ping') await this.#pong(piece.payload);
          else if (piece.type === 'close') return this.close(closeStatus.normal, '');
        }
      }
    } catch {
      // What is not a WebSocket is told so; a client that left hears nothing.
      this.close(closeStatus.protocolError, 'not a frame of RFC 6455');
    }
  }

  /** Sends `parts` as one message; `done` is called when they are on their way. */
  send(
    kind: 'text' | 'binary',
    parts: readonly Uint8Array[],
    done: (error?: Error | null) => void = () => {},
  ): void {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#closeSent) {
      done(new Error('the connection is closed'));
      return;
    }
    this.#socket.cork();
    const written = [encodeFrameHeader(opcodes[kind], length), ...parts];
    for (const [index, part] of written.entries()) {
      if (index === written.length - 1) this.#socket.write(part, done);
      else this.#socket.write(part);
    }
    this.#socket.uncork();
  }

  /** Says goodbye; nothing is sent after it. The client then ends the connection. */
  close(status: number, reason: string): void {
    if (this.#closeSent) return;
    this.#closeSent = true;
    if (this.#socket.writable) this.#socket.end(encodeClose(status, reason));
  }

  async #pong(payload: Uint8Array): Promise<void> {
    if (this.#closeSent) return;
    const sent = new Promise<void>((resolve) => {
      this.#socket.write(encodeFrame(opcodes.pong, payload), () => resolve());
    });
    if (this.#socket.writableLength > unsentControlBytesMax) await sent;
  }
}
