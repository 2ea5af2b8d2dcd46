/**
 * A connection that carries one JSON document a line, both ways, between the controller and a
 * Gateway.
 *
 * I1. Who listens hears of its end once, as the last thing.
 * I2. What says nothing for `fleetSilenceMs` is gone: both sides say at least that they are there.
 */
import type { Duplex } from 'node:stream';
import type { Clock, JsonObject, Timer } from '@fnlet/base';
import { isJsonObject } from '@fnlet/base';
import {
  fleetBacklogBytesMax,
  fleetBeatMs,
  fleetLineCharactersMax,
  fleetSilenceMs,
} from './limits.ts';

/** What a connection tells. */
export interface LineListener {
  onMessage(message: JsonObject): void;
  onClosed(): void;
}

const beat = '{"type":"beat"}\n';

export class LineSocket {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #listener: LineListener;
  #unread = '';
  #heardMs: number;
  #timer: Timer;
  #closed = false;

  constructor(socket: Duplex, clock: Clock, listener: LineListener) {
    this.#socket = socket;
    this.#clock = clock;
    this.#listener = listener;
    this.#heardMs = clock.monotonicMs();
    this.#timer = clock.after(fleetBeatMs, () => this.#onBeat());
    const decoder = new TextDecoder();
    socket.on('data', (chunk: Uint8Array) => this.#onData(decoder.decode(chunk, { stream: true })));
    socket.on('error', () => socket.destroy());
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#onClose());
  }

  /** Who takes in less than it is told is cut off: it begins anew with the whole picture. */
  send(message: object): void {
    if (this.#closed || !this.#socket.writable) return;
    this.#socket.write(`${JSON.stringify(message)}\n`);
    if (this.#socket.writableLength > fleetBacklogBytesMax) this.close();
  }

  /** How long nothing was heard, in milliseconds. */
  get silentMs(): number {
    return this.#clock.monotonicMs() - this.#heardMs;
  }

  close(): void {
    this.#socket.destroy();
  }

  #onBeat(): void {
    if (this.silentMs > fleetSilenceMs) {
      this.close();
      return;
    }
    if (this.#socket.writable) this.#socket.write(beat);
    this.#timer = this.#clock.after(fleetBeatMs, () => this.#onBeat());
  }

  #onData(chunk: string): void {
    this.#heardMs = this.#clock.monotonicMs();
    const lines = (this.#unread + chunk).split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) {
      const message = parseLine(line);
      if (message === undefined) {
        this.close();
        return;
      }
      if (message.type !== 'beat' && !this.#closed) this.#listener.onMessage(message);
    }
    if (this.#unread.length > fleetLineCharactersMax) this.close();
  }

  #onClose(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer.cancel();
    this.#listener.onClosed();
  }
}

function parseLine(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
