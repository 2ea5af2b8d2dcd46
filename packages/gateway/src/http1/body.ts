import { ChunkedBody } from './chunked-body.ts';
import type { MessageFraming } from './message-framing.ts';

/** Follows one body while it passes through, so that its end is known. */
export interface Body {
  readonly done: boolean;
  /** Bytes of content seen so far, without any framing. */
  readonly contentBytes: number;
  /**
   * Follows the body through `bytes` from `from` on and returns the offset just past its part of
   * them, or -1 when it is broken. `onContent` hears where content stands.
   */
  advance(bytes: Buffer, from: number, onContent?: (from: number, to: number) => void): number;
}

/** No body at all. */
export const emptyBody: Body = {
  done: true,
  contentBytes: 0,
  advance: (_bytes, from) => from,
};

/** A body whose length is known in advance, or (`Infinity`) that lasts until the connection ends. */
export class SizedBody implements Body {
  contentBytes = 0;
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  get done(): boolean {
    return this.contentBytes === this.#size;
  }

  advance(bytes: Buffer, from: number, onContent?: (from: number, to: number) => void): number {
    const to = Math.min(bytes.length, from + this.#size - this.contentBytes);
    if (to > from) onContent?.(from, to);
    this.contentBytes += to - from;
    return to;
  }
}

/** The body of a request (RFC 9112 §6.3: without any length there is none). */
export function requestBody(framing: MessageFraming): Body {
  if (framing.chunked) return new ChunkedBody();
  return framing.contentLength > 0 ? new SizedBody(framing.contentLength) : emptyBody;
}

/** The body of an answer (RFC 9112 §6.3: without any length it lasts until the end). */
export function responseBody(framing: MessageFraming, method: string, status: number): Body {
  if (method === 'HEAD' || status === 204 || status === 304) return emptyBody;
  if (framing.chunked) return new ChunkedBody();
  if (framing.contentLength === 0) return emptyBody;
  return new SizedBody(
    framing.contentLength < 0 ? Number.POSITIVE_INFINITY : framing.contentLength,
  );
}
