/**
 * The answers of an Instance that speaks another protocol by now, on their way to the client.
 *
 * A WebSocket is ended as its protocol has it: the client gets a Close frame with 1001, "going
 * away", and what the Instance still says goes nowhere; the Close with which the client answers goes
 * to the Instance, which then ends the connection. Of other protocols only the connection is known.
 */
import { FrameFollower } from './frame-follower.ts';
import { copyPart, type Part } from './part.ts';

/** Final, opcode 8, two octets: 1001 (RFC 6455 §7.4.1). Servers do not mask. */
const closeFrame: Part = '\x88\x02\x03\xe9';

export class Tunnel {
  readonly #frames: FrameFollower | undefined;
  #stage: 'open' | 'ending' | 'ended' = 'open';

  constructor(protocol: string | undefined) {
    if (protocol?.toLowerCase() === 'websocket') this.#frames = new FrameFollower();
  }

  /** What the client gets of what the Instance sent; empty when that is nothing. */
  take(chunk: Buffer, from: number): Part {
    if (this.#stage === 'ended') return '';
    const to = this.#frames?.advance(chunk, from, this.#stage === 'ending') ?? chunk.length;
    return copyPart(chunk, from, to);
  }

  /**
   * It is to end. Returns what the client gets for that: nothing as long as it has only part of a
   * frame, for then this is to be asked again after the next {@link take}.
   */
  end(): Part {
    const frames = this.#frames;
    if (frames === undefined || this.#stage === 'ended') return '';
    this.#stage = frames.between ? 'ended' : 'ending';
    return this.#stage === 'ended' && !frames.closed ? closeFrame : '';
  }

  /** Whether there is nothing to wait for: the protocol has no way to end, or is unknown. */
  get endsWithConnection(): boolean {
    return this.#frames === undefined;
  }
}
