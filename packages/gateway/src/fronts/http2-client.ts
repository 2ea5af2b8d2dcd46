/**
 * One client that speaks HTTP/2. Each of its streams is a conversation of its own, as if it came on
 * a connection of its own.
 *
 * I1. A client that has no stream open has a deadline, and so has one that is told to leave.
 * I2. What a client can make us keep is bounded: streams, their windows, fields, and how fast it
 *     may take requests back (CVE-2023-44487).
 */
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Expirable } from '../deadline-sweep.ts';
import { fixedLimits, type GatewayLimits } from '../limits.ts';
import { translateRequest } from './stream-request.ts';
import { StreamWire } from './stream-wire.ts';
import type { Caller, CallerOrigin, WireUser } from './wire.ts';

export interface Http2Context {
  readonly limits: GatewayLimits;
  readonly monotonicMs: () => number;
  /** Has a client served; false when there is no room for it. */
  readonly serve: (caller: Caller) => boolean;
  readonly onClosed: (client: Http2Client) => void;
}

/** Error codes of HTTP/2 (RFC 9113 §7). */
const code = { internalError: 2, refusedStream: 7 } as const;
const flagEndStream = 1;

export class Http2Client implements Expirable {
  deadlineMs: number;
  readonly #socket: Duplex;
  readonly #session: ServerHttp2Session;
  readonly #origin: CallerOrigin;
  readonly #context: Http2Context;
  #streams = 0;

  /** `socket`: nobody reads it, and what it holds back begins with the preface. */
  constructor(socket: Duplex, origin: CallerOrigin, context: Http2Context) {
    this.#socket = socket;
    this.#origin = origin;
    this.#context = context;
    const { limits, monotonicMs } = context;
    this.deadlineMs = monotonicMs() + limits.headTimeoutMs;
    // Loaded with the first client that speaks it: half of Node's HTTP comes along.
    const { performServerHandshake } = process.getBuiltinModule('node:http2');
    this.#session = performServerHandshake(socket, sessionOptions(limits));
    this.#session.on('stream', (stream, _headers, flags, fields) => {
      this.#start(stream, (flags & flagEndStream) !== 0, fields);
    });
    // It closes, too, and there is nobody who could be told why.
    this.#session.on('error', () => {});
    this.#session.on('close', () => context.onClosed(this));
  }

  onDeadline(): void {
    if (this.#session.closed) this.destroy();
    else this.close();
  }

  /** Takes no more requests, and ends when those that it has are answered (GOAWAY). */
  close(): void {
    const { limits, monotonicMs } = this.#context;
    this.#session.close();
    if (this.#streams === 0) this.deadlineMs = monotonicMs() + limits.lingerMs;
  }

  destroy(): void {
    if (this.#streams === 0) this.#session.destroy();
    // Without an error some clients take what they have of an answer for all of it.
    else this.#session.destroy(new Error('Answers break off'), code.internalError);
    // By itself a session that was closed waits until the client ends its side, too.
    this.#socket.destroy();
  }

  #start(stream: ServerHttp2Stream, ended: boolean, fields: readonly string[]): void {
    const request = translateRequest(fields, ended);
    if (typeof request === 'number') {
      stream.on('error', () => {});
      stream.respond([':status', String(request)], { endStream: true });
      return;
    }
    const { headBytesMax } = this.#context.limits;
    let wire: StreamWire | undefined;
    const open = (user: WireUser): StreamWire => {
      wire = new StreamWire(stream, request, { user, headBytesMax });
      return wire;
    };
    if (!this.#context.serve({ ...this.#origin, open })) {
      stream.on('error', () => {});
      stream.close(code.refusedStream);
      return;
    }
    this.#streams++;
    this.deadlineMs = Number.POSITIVE_INFINITY;
    stream.on('close', () => this.#onStreamClosed());
    wire?.begin();
  }

  #onStreamClosed(): void {
    this.#streams--;
    if (this.#streams > 0) return;
    const { limits, monotonicMs } = this.#context;
    const patienceMs = this.#session.closed ? limits.lingerMs : limits.idleTimeoutMs;
    this.deadlineMs = monotonicMs() + patienceMs;
  }
}

/** What a client is told and held to, on top of what Node and nghttp2 bound by themselves. */
function sessionOptions({ streamsMax, headBytesMax, fieldsMax }: GatewayLimits): object {
  return {
    settings: {
      maxConcurrentStreams: streamsMax,
      // What is a little too much is told so by 431, like over HTTP/1.1; the rest is reset.
      maxHeaderListSize: 2 * headBytesMax,
      enableConnectProtocol: true,
    },
    maxHeaderListPairs: 2 * fieldsMax,
    maxSessionMemory: fixedLimits.sessionMegabytesMax,
    streamResetBurst: fixedLimits.streamResetBurst,
    streamResetRate: fixedLimits.streamResetsPerSecond,
    // Answers of Instances pass as they are, over HTTP/1.1 too.
    strictSingleValueFields: false,
  };
}
