import type { Answer } from './answer.ts';
import type { Scheme } from './fronts/wire.ts';
import type { Part } from './part.ts';

/** What the client's side tells the call in progress. */
export interface ClientCall {
  /** Whether the connection carries another protocol now. */
  readonly tunnelling: boolean;
  /** Starts the call with the part of its body that came together with its head. */
  begin(chunk: Buffer, from: number, to: number): void;
  /** More bytes: of the body, or of the other protocol. */
  onClientData(chunk: Buffer): void;
  /** The body is not what its framing said. */
  onBrokenBody(): void;
  /** More may be written again. */
  onClientDrain(): void;
  /** Nobody waits for the answer any more. */
  onClientGone(): void;
  onDeadline(): void;
}

/** The client's side of a call. */
export interface CallClient {
  readonly remoteAddress: string;
  readonly scheme: Scheme;
  /** Whether more may be written at once; otherwise `onClientDrain` follows. */
  write(part: Part): boolean;
  pauseReading(): void;
  resumeReading(): void;
  /** Sets when (monotonic) `onDeadline` is due. */
  setDeadline(deadlineMs: number): void;
  /** The connection carries another protocol from here on. */
  onSwitched(): void;
  /** The call is over at `nowMs` (monotonic); the connection goes on if it may. */
  finish(keepAlive: boolean, nowMs: number): void;
  /** The call is over with an answer of our own. */
  answer(answer: Answer): void;
  /** Sends what is written, then ends the connection. */
  end(): void;
  /** Cuts the connection. */
  destroy(): void;
}
