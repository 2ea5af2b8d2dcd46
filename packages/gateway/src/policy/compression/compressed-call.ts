/**
 * Stands between one call and its client, and compresses the answer on its way.
 *
 * To the call it is the client, to the client it is the call; neither notices. What is compressed
 * comes out later than it went in, so that the call may be over before its answer is.
 *
 * I1. Nothing waits for a whole body. A client that does not read holds up the encoder, a full
 *     encoder holds up the call, and that the Instance.
 * I2. The client hears of the end of the call once it was given all of the answer.
 * I3. The slot is given back exactly once, whatever ends first.
 */
import type { Transform } from 'node:stream';
import type { Answer } from '../../answer.ts';
import type { CallClient, ClientCall } from '../../client-call.ts';
import type { Scheme } from '../../fronts/wire.ts';
import { type Body, responseBody } from '../../http1/body.ts';
import type { Part } from '../../part.ts';
import { fieldValues } from '../field-changes.ts';
import { policyLimits } from '../policy-limits.ts';
import type { CompressionSlots } from './compression-slots.ts';
import {
  type CompressionDecision,
  type CompressionSettings,
  compressedFields,
  decideCompression,
  describedFields,
  uncompressedFields,
} from './decide-compression.ts';
import { createEncoder } from './encoder.ts';

export interface CompressionContext {
  readonly settings: CompressionSettings;
  readonly slots: CompressionSlots;
  readonly monotonicMs: () => number;
}

/** What of a request says how its answer is compressed. */
export interface CompressedRequest {
  readonly method: string;
  readonly acceptEncoding: string | undefined;
  /** Lines of If-None-Match. */
  readonly ifNoneMatch: readonly string[];
}

/** An answer that is being compressed. */
interface Coded {
  readonly encoder: Transform;
  /** As the call writes it. */
  readonly body: Body;
}

export class CompressedCall implements ClientCall, CallClient {
  readonly #client: CallClient;
  readonly #context: CompressionContext;
  readonly #request: CompressedRequest;
  readonly #call: ClientCall;
  /** `verbatim`: what is written passes as it is. */
  #stage: 'head' | 'verbatim' | 'coding' | 'ending' | 'over' = 'head';
  #coded: Coded | undefined;

  /** `start` makes the call, for this client. */
  constructor(
    client: CallClient,
    start: (client: CallClient) => ClientCall,
    options: CompressionContext & { readonly request: CompressedRequest },
  ) {
    this.#client = client;
    this.#context = options;
    this.#request = options.request;
    this.#call = start(this);
  }

  get remoteAddress(): string {
    return this.#client.remoteAddress;
  }

  get scheme(): Scheme {
    return this.#client.scheme;
  }

  get tunnelling(): boolean {
    return this.#call.tunnelling;
  }

  begin(chunk: Buffer, from: number, to: number): void {
    this.#call.begin(chunk, from, to);
  }

  onClientData(chunk: Buffer): void {
    this.#call.onClientData(chunk);
  }

  onBrokenBody(): void {
    this.#call.onBrokenBody();
  }

  onClientDrain(): void {
    if (this.#coded === undefined) {
      this.#call.onClientDrain();
      return;
    }
    this.#coded.encoder.resume();
    if (this.#stage === 'ending') this.#awaitClient();
  }

  onClientGone(): void {
    const isOver = this.#stage === 'ending' || this.#stage === 'over';
    this.#release();
    if (!isOver) this.#call.onClientGone();
  }

  onDeadline(): void {
    if (this.#stage === 'ending') this.destroy();
    else this.#call.onDeadline();
  }

  write(part: Part): boolean {
    if (this.#coded !== undefined) return this.#encode(this.#coded, bytesOf(part));
    return this.#stage === 'head' ? this.#begin(bytesOf(part)) : this.#client.write(part);
  }

  pauseReading(): void {
    this.#client.pauseReading();
  }

  resumeReading(): void {
    this.#client.resumeReading();
  }

  setDeadline(deadlineMs: number): void {
    this.#client.setDeadline(deadlineMs);
  }

  onSwitched(): void {
    this.#client.onSwitched();
  }

  finish(keepAlive: boolean, nowMs: number): void {
    if (this.#coded === undefined) {
      this.#stage = 'over';
      this.#client.finish(keepAlive, nowMs);
      return;
    }
    this.#stage = 'ending';
    this.#awaitClient();
    const { encoder } = this.#coded;
    encoder.once('end', () => {
      if (this.#stage !== 'ending') return;
      this.#release();
      this.#client.write('0\r\n\r\n');
      this.#client.finish(keepAlive, this.#context.monotonicMs());
    });
    encoder.end();
  }

  answer(answer: Answer): void {
    this.#release();
    this.#client.answer(answer);
  }

  end(): void {
    this.#release();
    this.#client.end();
  }

  destroy(): void {
    this.#release();
    this.#client.destroy();
  }

  /** Whoever writes a head writes all of it at once. */
  #begin(bytes: Buffer): boolean {
    const text = bytes.toString('latin1', 0, bytes.indexOf('\r\n\r\n') + 2);
    const lineEnd = text.indexOf('\r\n') + 2;
    const status = Number(text.slice(9, 12));
    // An interim answer is none yet; after 101 it is another protocol's.
    if (status < 200) {
      if (status === 101) this.#stage = 'verbatim';
      return this.#client.write(bytes);
    }
    const fields = text.slice(lineEnd);
    const { settings, slots } = this.#context;
    const line = text.slice(0, lineEnd);
    const { method, acceptEncoding, ifNoneMatch } = this.#request;
    const answer = { status, fields, isBodiless: method === 'HEAD' };
    const decision = decideCompression(answer, settings, acceptEncoding);
    const rest = bytes.subarray(text.length + 2);
    if (decision.kind !== 'compress' || !slots.take()) {
      this.#stage = 'verbatim';
      const tags = status === 304 ? ifNoneMatch : [];
      const passing = uncompressed(decision, fields, tags);
      this.#client.write(`${line}${passing}\r\n`);
      return rest.length === 0 || this.#client.write(rest);
    }
    const { coding, streaming } = decision;
    const encoder = createEncoder(coding, streaming);
    const coded = { encoder, body: readBody(fields, status) };
    this.#stage = 'coding';
    this.#coded = coded;
    encoder.on('data', (chunk: Buffer) => this.#pass(encoder, chunk));
    encoder.on('drain', () => {
      if (this.#stage === 'coding') this.#call.onClientDrain();
    });
    encoder.on('error', () => this.#cut());
    this.#client.write(`${line}${compressedFields(fields, coding)}\r\n`);
    return this.#encode(coded, rest);
  }

  #encode({ encoder, body }: Coded, bytes: Buffer): boolean {
    let mayGoOn = true;
    body.advance(bytes, 0, (from, to) => {
      mayGoOn = encoder.write(bytes.subarray(from, to));
    });
    return mayGoOn;
  }

  #pass(encoder: Transform, chunk: Buffer): void {
    if (this.#stage === 'over') return;
    const size = Buffer.from(`${chunk.length.toString(16)}\r\n`);
    const mayGoOn = this.#client.write(Buffer.concat([size, chunk, lineBreak]));
    if (!mayGoOn) encoder.pause();
  }

  #awaitClient(): void {
    this.#client.setDeadline(this.#context.monotonicMs() + policyLimits.compressedStallMs);
  }

  #cut(): void {
    if (this.#stage === 'over') return;
    this.onClientGone();
    this.#client.destroy();
  }

  #release(): void {
    this.#stage = 'over';
    if (this.#coded === undefined) return;
    this.#coded.encoder.destroy();
    this.#coded = undefined;
    this.#context.slots.give();
  }
}

/** The fields of an answer whose body passes as it is, if it has one. */
function uncompressed(
  decision: CompressionDecision,
  fields: string,
  ifNoneMatch: readonly string[],
): string {
  if (decision.kind === 'verbatim') return fields;
  if (decision.kind === 'describe') return describedFields(fields, decision.coding);
  return uncompressedFields(fields, ifNoneMatch);
}

const lineBreak: Buffer = Buffer.from('\r\n');

function bytesOf(part: Part): Buffer {
  return typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
}

function readBody(fields: string, status: number): Body {
  const block = { kept: fields, known: new Map<string, string>() };
  const [length] = fieldValues(block, 'content-length');
  const chunked = fieldValues(block, 'transfer-encoding').length > 0;
  const framing = { chunked, contentLength: length === undefined ? -1 : Number(length) };
  return responseBody(framing, 'GET', status);
}
