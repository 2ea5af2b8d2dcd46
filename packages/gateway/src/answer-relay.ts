/**
 * One answer of an Instance on its way to the client: a new head, and a body that is followed, so
 * that its end is known, and framed anew where the two connections frame it differently.
 *
 * It is a value that eats bytes and gives parts to write; it has no socket.
 */
import { type BodyCoding, bodyCoding, forwardedResponse } from './forwarding.ts';
import { type Body, emptyBody, responseBody } from './http1/body.ts';
import { ChunkedBody } from './http1/chunked-body.ts';
import type { RequestHead } from './http1/request-head.ts';
import type { ResponseHead } from './http1/response-head.ts';
import { appendPart, copyPart, type Part } from './part.ts';

const eventStream = /(?:^|\n)content-type:[ \t]*text\/event-stream/i;

export class AnswerRelay {
  /** Whether the client's connection goes on after it. */
  readonly keepAlive: boolean;
  readonly #response: ResponseHead;
  readonly #legacy: boolean;
  readonly #body: Body;
  readonly #coding: BodyCoding;

  /** `closing`: the client's connection is to end in any case. */
  constructor(response: ResponseHead, request: RequestHead, closing: boolean) {
    this.#response = response;
    this.#legacy = request.version === '1.0';
    this.#body = responseBody(response.framing, request.method, response.status);
    this.#coding = bodyCoding(response, request.version);
    // HTTP/1.0 learns the end of a body of unknown length by the end of the connection.
    const endless = this.#legacy && this.#hasBody && response.framing.contentLength < 0;
    this.keepAlive = request.keepAlive && !endless && !closing;
  }

  /** Whether all of the answer was seen. */
  get done(): boolean {
    return this.#body.done;
  }

  /** Whether the Instance marks the end of the body by ending its connection. */
  get lastsUntilEnd(): boolean {
    const { chunked, contentLength } = this.#response.framing;
    return !chunked && contentLength < 0;
  }

  /** Whether it may go on for ever and be ended in between: server-sent events. */
  get isStream(): boolean {
    const { framing, fields } = this.#response;
    return framing.contentLength < 0 && eventStream.test(fields.kept);
  }

  /** Whether {@link end} could be written now. */
  get mayEnd(): boolean {
    return this.#coding !== 'verbatim' || this.lastsUntilEnd || this.#isBetweenChunks;
  }

  /** Whether the connection to the Instance can carry another call after it. */
  get reusable(): boolean {
    return this.#response.keepAlive;
  }

  /**
   * Whether it says that the place is out of order (RFC 9110 §15.6.3 to 15.6.5). 500 says that the
   * code is, and the same code runs everywhere: who can break it could have any Instance ejected.
   */
  get blamesPlace(): boolean {
    const { status } = this.#response;
    return status >= 502 && status <= 504;
  }

  /** How long the Instance keeps that connection: its Keep-Alive field. */
  get promise(): string | undefined {
    return this.#response.fields.known.get('keep-alive');
  }

  /** The head for the client; see {@link forwardedResponse}. */
  head(requestId: string, wokenAfterMs: number | undefined, added = ''): string {
    return forwardedResponse({
      response: this.#response,
      hasBody: this.#hasBody,
      coding: this.#coding,
      requestId,
      keepAlive: this.keepAlive,
      legacy: this.#legacy,
      wokenAfterMs,
      added,
    });
  }

  /**
   * Takes the bytes of `chunk` from `from` on, and adds to `parts` what the client gets of them.
   * Returns the offset just past the body's part of them, or -1 when the body is broken.
   */
  take(chunk: Buffer, from: number, parts: Part[]): number {
    if (this.#coding === 'verbatim') {
      const to = this.#body.advance(chunk, from);
      if (to > from) appendPart(parts, copyPart(chunk, from, to));
      return to;
    }
    return this.#body.advance(chunk, from, (start, end) => {
      if (this.#coding === 'encoded') appendPart(parts, `${(end - start).toString(16)}\r\n`);
      appendPart(parts, copyPart(chunk, start, end));
      if (this.#coding === 'encoded') appendPart(parts, '\r\n');
    });
  }

  /** What ends the body here, between two chunks, if the connection does not. */
  end(): Part {
    return this.#legacy ? '' : '0\r\n\r\n';
  }

  get #isBetweenChunks(): boolean {
    return this.#body instanceof ChunkedBody && this.#body.betweenChunks;
  }

  get #hasBody(): boolean {
    return this.#body !== emptyBody || this.#response.framing.contentLength === 0;
  }
}
