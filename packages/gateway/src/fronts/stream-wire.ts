/**
 * A stream of HTTP/2 as a wire: its request is told in HTTP/1.1, and the answer, HTTP/1.1 too, is
 * read and sent in HTTP/2 (decision 037).
 *
 * I1. What the user does not read stays within the window of the stream: the client stops sending.
 * I2. An answer that is cut ends with RST_STREAM, never as if it were complete.
 * I3. Once its answer is sent, a stream ends, whatever the client has still to say (RFC 9113 §8.1).
 */
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Part } from '../part.ts';
import { type AnswerEvent, StreamAnswer } from './stream-answer.ts';
import { type StreamRequest, translateTrailers } from './stream-request.ts';
import type { Wire, WireUser } from './wire.ts';

/** Error codes of HTTP/2 (RFC 9113 §7). */
const code = { noError: 0, protocolError: 1 } as const;

export class StreamWire implements Wire {
  readonly #stream: ServerHttp2Stream;
  readonly #request: StreamRequest;
  readonly #answer: StreamAnswer;
  readonly #user: WireUser;
  #paused = false;
  #requestTrailers = '';
  /** Whether the request has ended, and the user was not told yet. */
  #ended = false;
  #cut = false;
  #answerTrailers: readonly string[] = [];

  /** `headBytesMax`: what heads of answers may have. */
  constructor(
    stream: ServerHttp2Stream,
    request: StreamRequest,
    { user, headBytesMax }: { readonly user: WireUser; readonly headBytesMax: number },
  ) {
    this.#stream = stream;
    this.#request = request;
    this.#answer = new StreamAnswer(request.method, headBytesMax);
    this.#user = user;
    stream.on('drain', () => user.onDrain());
    // It closes, too, and there is nobody who could be told why.
    stream.on('error', () => {});
    stream.on('close', () => user.onClosed());
  }

  /** Tells the user of the request; from here on of its body. */
  begin(): void {
    const { head, body, tunnel } = this.#request;
    this.#user.onData(Buffer.from(head, 'latin1'));
    const stream = this.#stream;
    if (body === 'none' && !tunnel) {
      stream.resume();
      return;
    }
    if (body === 'chunked') {
      stream.on('data', (chunk: Buffer) => this.#user.onData(encodeChunk(chunk)));
      stream.on('trailers', (_headers, _flags, fields) => this.#readTrailers(fields));
    } else {
      stream.on('data', (chunk: Buffer) => this.#user.onData(chunk));
    }
    stream.on('end', () => {
      this.#ended = true;
      this.#endRequest();
    });
  }

  get destroyed(): boolean {
    return this.#cut || this.#stream.closed;
  }

  get pending(): boolean {
    return !this.#stream.closed && !this.#stream.writableFinished;
  }

  write(part: Part): boolean {
    if (this.destroyed) return true;
    const events = this.#answer.read(part);
    try {
      for (const [index, event] of events.entries()) this.#send(event, events[index + 1]);
    } catch {
      // What an Instance says and Node does not send ends this call, and nobody else's.
      this.destroy();
    }
    return !this.#stream.writableNeedDrain;
  }

  end(): void {
    if (this.destroyed) return;
    // To end it twice costs an error, though nobody sees it.
    if (!this.#stream.writableEnded) this.#stream.end();
    if (!this.#stream.readableEnded) this.#closeOnceSent();
  }

  destroy(): void {
    if (this.#stream.writableFinished) {
      this.end();
    } else if (!this.destroyed) {
      this.#cut = true;
      // What was written goes out at the end of this turn. Not close(): that would end the answer
      // in good order first.
      setImmediate(() => this.#stream.destroy(new Error('The answer breaks off')));
    }
  }

  /** I2 */
  reset(): void {
    this.destroy();
  }

  pause(): void {
    this.#paused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#stream.resume();
    if (this.#ended) process.nextTick(() => this.#endRequest());
  }

  #readTrailers(fields: readonly string[]): void {
    const lines = translateTrailers(fields);
    if (lines === undefined) this.#stream.close(code.protocolError);
    else this.#requestTrailers = lines;
  }

  /** An empty stream ends though it is paused; its user is not to hear of that before. */
  #endRequest(): void {
    if (this.#paused || this.destroyed || !this.#ended) return;
    this.#ended = false;
    const { body, tunnel } = this.#request;
    if (tunnel) this.#user.onEnd();
    else if (body === 'chunked') {
      this.#user.onData(Buffer.from(`0\r\n${this.#requestTrailers}\r\n`, 'latin1'));
    }
  }

  #send(event: AnswerEvent, next: AnswerEvent | undefined): void {
    const stream = this.#stream;
    switch (event.kind) {
      case 'interim':
        stream.additionalHeaders(interimFields(event));
        break;
      case 'head':
        this.#sendHead(event, next?.kind === 'end');
        break;
      case 'content':
        stream.write(event.bytes);
        break;
      case 'end':
        this.#answerTrailers = event.trailers;
        stream.end();
    }
  }

  #sendHead(event: Extract<AnswerEvent, { kind: 'head' }>, endStream: boolean): void {
    const stream = this.#stream;
    const waitForTrailers = event.trailers && this.#request.trailers && !endStream;
    if (waitForTrailers) stream.once('wantTrailers', () => this.#sendTrailers());
    stream.respond([':status', String(event.status), ...event.fields], {
      endStream,
      waitForTrailers,
    });
  }

  #sendTrailers(): void {
    this.#stream.sendTrailers(fieldsByName(this.#answerTrailers));
  }

  #closeOnceSent(): void {
    const stream = this.#stream;
    const close = (): void => stream.close(code.noError);
    if (stream.writableFinished) close();
    else stream.once('finish', close);
  }
}

/** A chunk of a chunked body (RFC 9112 §7.1). */
function encodeChunk(content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
}

function interimFields(event: Extract<AnswerEvent, { kind: 'interim' }>): OutgoingHttpHeaders {
  return { ':status': event.status, ...fieldsByName(event.fields) };
}

function fieldsByName(fields: readonly string[]): OutgoingHttpHeaders {
  const named = new Map<string, string[]>();
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? '';
    named.set(name, [...(named.get(name) ?? []), fields[i + 1] ?? '']);
  }
  return Object.fromEntries(named);
}
