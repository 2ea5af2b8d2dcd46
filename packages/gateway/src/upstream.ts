/**
 * One Instance as a place that takes calls: its connections and its load.
 *
 * I1. `inFlight` counts calls between `enter` and `leave`; it never exceeds the limit in use.
 * I2. A retired upstream takes no new call, keeps no idle connection, and is drained once nothing
 *     is in flight.
 */
import type { Clock } from '@fnlet/base';
import type { Candidate } from './balancer.ts';
import type { GatewayLimits } from './limits.ts';
import type { Endpoint } from './route.ts';
import { UpstreamConnection, type UpstreamOwner } from './upstream-connection.ts';

/** Who hears about an upstream. */
export interface UpstreamListener {
  /** It may have room again. */
  onRoom(): void;
  /** It is retired and its last call is over. */
  onDrained(upstream: Upstream): void;
}

/** What every upstream of a Gateway works with. */
export interface UpstreamContext {
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  /** See {@link UpstreamOwner}. */
  readonly readBuffer: Buffer;
}

export class Upstream implements Candidate, UpstreamOwner {
  readonly endpoint: Endpoint;
  readonly readBuffer: Buffer;
  inFlight = 0;
  /** Set while it is left alone because it refused a connection. */
  ejected = false;
  /** When (monotonic) it last sent a part of an answer. */
  heardMs: number = Number.NEGATIVE_INFINITY;
  #retired = false;
  #connecting = 0;
  readonly #idle: UpstreamConnection[] = [];
  /** The Keep-Alive field read last; an Instance always sends the same. */
  #keepAlive = { text: '', promiseMs: Number.POSITIVE_INFINITY };
  readonly #limits: GatewayLimits;
  readonly #listener: UpstreamListener;

  constructor(endpoint: Endpoint, context: UpstreamContext, listener: UpstreamListener) {
    this.endpoint = endpoint;
    this.#limits = context.limits;
    this.readBuffer = context.readBuffer;
    this.#listener = listener;
  }

  hasRoom(limit: number): boolean {
    const { inFlightPerEndpointMax, connectingPerEndpointMax } = this.#limits;
    if (this.ejected || this.#retired) return false;
    if (this.inFlight >= (limit > 0 ? limit : inFlightPerEndpointMax)) return false;
    return this.#idle.length > 0 || this.#connecting < connectingPerEndpointMax;
  }

  /** A connection for one call: the idle one used last, which is the likeliest to be alive. */
  takeConnection(nowMs: number): UpstreamConnection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (!idle.lost && idle.reusableUntilMs > nowMs) return idle;
      idle.destroy();
    }
    return this.#connect();
  }

  /** Opens the connection of the first call before there is one, while the Instance starts. */
  connectAhead(nowMs: number): void {
    const connection = this.#connect();
    connection.reusableUntilMs = nowMs + this.#limits.aheadMs;
    this.#idle.push(connection);
  }

  /** The connection that was opened ahead, if it is of use still. */
  takeAhead(nowMs: number): UpstreamConnection | undefined {
    const ahead = this.#idle.at(-1);
    return ahead === undefined || ahead.lost || ahead.reusableUntilMs <= nowMs
      ? undefined
      : this.#idle.pop();
  }

  /**
   * Takes back a connection whose answer is complete. `keepAlive` is the Keep-Alive field of that
   * answer, if any: how long the Instance will wait for another request (`timeout=5`).
   */
  giveBack(connection: UpstreamConnection, keepAlive: string | undefined, nowMs: number): void {
    connection.unassign();
    if (this.#retired || connection.lost || this.#idle.length >= this.#limits.idlePerEndpointMax) {
      connection.destroy();
      return;
    }
    if (keepAlive !== undefined) {
      connection.reusableUntilMs = nowMs + this.#promiseMs(keepAlive);
    }
    this.#idle.push(connection);
  }

  enter(): void {
    this.inFlight++;
  }

  leave(): void {
    this.inFlight--;
    if (this.#retired) this.#checkDrained();
    else this.#listener.onRoom();
  }

  /** No new calls from now on. */
  retire(): void {
    this.#retired = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
    this.#checkDrained();
  }

  onConnected(): void {
    this.#connecting--;
    this.#listener.onRoom();
  }

  onConnectFailed(): void {
    this.#connecting--;
  }

  onIdleLost(connection: UpstreamConnection): void {
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #connect(): UpstreamConnection {
    this.#connecting++;
    return new UpstreamConnection(this.endpoint.socketPath, this, this.#limits);
  }

  /** How long a connection may be reused: a second less than promised, so that it ends in time. */
  #promiseMs(keepAlive: string): number {
    if (keepAlive !== this.#keepAlive.text) {
      const seconds = Number(/timeout=(\d{1,9})/i.exec(keepAlive)?.[1] ?? Number.POSITIVE_INFINITY);
      this.#keepAlive = { text: keepAlive, promiseMs: (seconds - 1) * 1000 };
    }
    return this.#keepAlive.promiseMs;
  }

  #checkDrained(): void {
    if (this.inFlight === 0) this.#listener.onDrained(this);
  }
}
