/**
 * Owns the half-open connections of one port-forward over SPDY: a client opens two streams for
 * each TCP connection, `error` and `data`, with the same `requestID`.
 *
 * I1. A stream whose other half does not come in time is reset, so that pairs do not pile up.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@fnlet/base';
import { streamCreationMs } from '../limits.ts';
import { forwardConnection } from './forward-connection.ts';
import type { SpdyStream } from './spdy-connection.ts';

/** The protocol of port-forwards over SPDY. */
export const portForwardProtocol = 'portforward.k8s.io';

interface HalfPair {
  readonly stream: SpdyStream;
  readonly timer: Timer;
}

export class SpdyPortForward {
  readonly #clock: Clock;
  readonly #connect: (port: number) => Promise<Duplex>;
  readonly #waiting = new Map<string, HalfPair>();

  constructor(clock: Clock, connect: (port: number) => Promise<Duplex>) {
    this.#clock = clock;
    this.#connect = connect;
  }

  /** Takes a stream that the client opened. */
  add(stream: SpdyStream): void {
    const { streamtype: type, port: portText = '', requestid: requestId } = stream.headers;
    const port = Number(portText);
    const isKnown = type === 'error' || type === 'data';
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
    if (!isKnown || !isPort || requestId === undefined) {
      reset(stream);
      return;
    }
    const other = this.#waiting.get(requestId);
    if (other === undefined) {
      this.#wait(requestId, stream);
      return;
    }
    if (other.stream.headers.streamtype === type) {
      reset(stream);
      return;
    }
    other.timer.cancel();
    this.#waiting.delete(requestId);
    const [data, error] = type === 'data' ? [stream, other.stream] : [other.stream, stream];
    error.incoming.resume();
    const { incoming, outgoing } = data;
    const streams = { incoming, outgoing, errors: error.outgoing };
    void forwardConnection(streams, () => this.#connect(port));
  }

  /** Forgets what was waiting; the streams end with their connection. */
  close(): void {
    for (const { timer } of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }

  #wait(requestId: string, stream: SpdyStream): void {
    const timer = this.#clock.after(streamCreationMs, () => {
      this.#waiting.delete(requestId);
      reset(stream);
    });
    this.#waiting.set(requestId, { stream, timer });
  }
}

function reset({ incoming, outgoing }: SpdyStream): void {
  incoming.destroy();
  outgoing.destroy();
}
