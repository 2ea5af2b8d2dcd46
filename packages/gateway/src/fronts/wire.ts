import type { Part } from '../part.ts';

/**
 * What carries the conversation with one client: HTTP/1.1 in both directions. Mostly it is a
 * socket; a stream of HTTP/2 is made to look like one.
 */
export interface Wire {
  /** Nothing comes and nothing goes any more. */
  readonly destroyed: boolean;
  /** Whether something that was written has not left yet. */
  readonly pending: boolean;
  /** Whether more may be written at once; otherwise `onDrain` follows. */
  write(part: Part): boolean;
  /** Sends what is written, then ends our side. */
  end(): void;
  /** Sends what goes at once, then cuts. */
  destroy(): void;
  /** The same, so that a client that takes the end of the connection for a good one is not misled. */
  reset(): void;
  pause(): void;
  resume(): void;
}

/** Who talks over a {@link Wire}. */
export interface WireUser {
  /** `chunk` may be read until this returns; what is kept longer must be copied. */
  onData(chunk: Buffer): void;
  onDrain(): void;
  /** The client says no more. */
  onEnd(): void;
  onClosed(): void;
}

/** Which protocol a client speaks, as in the URL that it asked for. */
export type Scheme = 'http' | 'https';

/** Where a client came from. */
export interface CallerOrigin {
  readonly remoteAddress: string;
  readonly scheme: Scheme;
  /** Whether it came to the address that only those inside know. */
  readonly inside: boolean;
}

/** A client that a front let in. */
export interface Caller extends CallerOrigin {
  /** From here on `user` hears what the client says. */
  open(user: WireUser): Wire;
  /**
   * The client turned out to speak HTTP/2: whoever let it in goes on with it. `rest` is what came
   * after the first lines of the preface. Absent where that cannot be.
   */
  onHttp2?(rest: Buffer): void;
}
