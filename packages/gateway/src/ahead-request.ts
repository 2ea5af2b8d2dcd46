import type { Part } from './part.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamConnection, UpstreamUser } from './upstream-connection.ts';

/**
 * A request that went ahead to an Instance which still loads its code: the Runner holds it until it
 * can run it, and so no message has to go there and back between "ready" and the call.
 *
 * The call stays parked meanwhile. What is answered before the Instance is known to be ready waits
 * here, and no more of it is read.
 */
export class AheadRequest implements UpstreamUser {
  readonly upstream: Upstream;
  readonly connection: UpstreamConnection;
  #early: Buffer | undefined;
  #lost = false;

  constructor(upstream: Upstream, connection: UpstreamConnection, opening: readonly Part[]) {
    this.upstream = upstream;
    this.connection = connection;
    connection.assign(this);
    for (const part of opening) connection.write(part);
  }

  /** Whether the connection is gone, and with it what was answered so far. */
  get lost(): boolean {
    return this.#lost;
  }

  onUpstreamData(chunk: Buffer): void {
    this.#early = Buffer.concat(this.#early === undefined ? [chunk] : [this.#early, chunk]);
    this.connection.pause();
  }

  onUpstreamDrain(): void {}

  onUpstreamLost(): void {
    this.#lost = true;
  }

  /** The Instance is ready: `user` goes on with the connection, and hears what came already. */
  handOver(user: UpstreamUser): void {
    this.connection.pass(user);
    if (this.#early === undefined) return;
    this.connection.resume();
    user.onUpstreamData(this.#early);
  }

  /** Takes the request back. */
  drop(): void {
    this.connection.destroy();
  }
}
