/**
 * One Instance as a place that takes calls: its connections, its load, and how it fares.
 *
 * I1. `inFlight` counts calls between `enter` and `leave`; it never exceeds the limit in use.
 * I2. A retired upstream takes no new call, keeps no idle connection, and is drained once nothing
 *     is in flight.
 */
import type { Clock, Timer } from '@fnlet/base';
import { type Candidate, hashText } from './balancer.ts';
import { decideFailure, decideSuccess, type Health, takesCalls, well } from './health.ts';
import type { GatewayLimits } from './limits.ts';
import type { Endpoint } from './route.ts';
import { UpstreamConnection, type UpstreamOwner } from './upstream-connection.ts';

/** What a new Instance gets at once of its share; with nothing it would not warm up. */
const slowStartShareMin = 0.1;

/** An answer that goes on until somebody ends it. */
export interface Stream {
  /** Ends it as its protocol has it, within `limits.lingerMs`. */
  endStream(): void;
}

/** Who hears about an upstream. */
export interface UpstreamListener {
  /** It may have room again. */
  onRoom(): void;
  /** It gets no call until `untilMs` (monotonic). */
  onOut(untilMs: number): void;
  /** It is left alone since its calls failed. */
  onEjected(): void;
  /** Whether one more of those beside it may be ejected. */
  mayEject(): boolean;
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
  readonly hash: number;
  readonly readBuffer: Buffer;
  /** See {@link Endpoint}; nodes change their zones. */
  near: boolean | undefined;
  inFlight = 0;
  /** When (monotonic) it was heard of first: it loads its code, if it is not ready yet. */
  readonly startedMs: number;
  /** When (monotonic) it began to take calls. */
  readyMs: number;
  /** When (monotonic) it last sent a part of an answer. */
  heardMs: number = Number.NEGATIVE_INFINITY;
  #health: Health = well;
  /** When (monotonic) its slow start is over. */
  #warmAtMs = Number.NEGATIVE_INFINITY;
  #retired = false;
  #drainWaits: (() => void)[] = [];
  #streamsTimer: { readonly handle: Timer; readonly dueMs: number } | undefined;
  readonly #streams = new Set<Stream>();
  #endsStreams = false;
  #connecting = 0;
  readonly #idle: UpstreamConnection[] = [];
  /** The Keep-Alive field read last; an Instance always sends the same. */
  #keepAlive = { text: '', promiseMs: Number.POSITIVE_INFINITY };
  readonly #clock: Clock;
  readonly #limits: GatewayLimits;
  readonly #listener: UpstreamListener;

  constructor(endpoint: Endpoint, context: UpstreamContext, listener: UpstreamListener) {
    this.endpoint = endpoint;
    this.hash = hashText(endpoint.id);
    this.near = endpoint.near;
    this.#clock = context.clock;
    this.startedMs = context.clock.monotonicMs();
    this.readyMs = this.startedMs;
    this.#limits = context.limits;
    this.readBuffer = context.readBuffer;
    this.#listener = listener;
  }

  /** Whether failures keep it from its full share of the calls. */
  get ejected(): boolean {
    return this.#health.onTrial;
  }

  /** When (monotonic) it may get calls again. */
  get outUntilMs(): number {
    return this.#health.outUntilMs;
  }

  load(nowMs: number): number {
    if (nowMs >= this.#warmAtMs) return this.inFlight;
    const left = (this.#warmAtMs - nowMs) / this.#limits.slowStartMs;
    return (this.inFlight + 1) / Math.max(slowStartShareMin, 1 - left) - 1;
  }

  hasRoom(limit: number, nowMs: number): boolean {
    const { inFlightPerEndpointMax, connectingPerEndpointMax } = this.#limits;
    if (this.#retired || !takesCalls(this.#health, this.inFlight, nowMs)) return false;
    if (this.inFlight >= (limit > 0 ? limit : inFlightPerEndpointMax)) return false;
    return this.#idle.length > 0 || this.#connecting < connectingPerEndpointMax;
  }

  /** Its share of the calls grows from now on: others are warm, and can take the rest. */
  startSlowly(nowMs: number): void {
    this.#warmAtMs = nowMs + this.#limits.slowStartMs;
  }

  /** A call failed for a reason that lies with it. `refused`: nobody accepted the connection. */
  onFailure(nowMs: number, refused: boolean): void {
    if (this.#retired) return;
    const before = this.#health;
    const mayEject = before.onTrial || this.#listener.mayEject();
    this.#health = decideFailure(before, { nowMs, refused, mayEject }, this.#limits);
    if (this.#health !== before && this.#health.onTrial) this.#listener.onEjected();
    if (this.#health.outUntilMs > nowMs) this.#listener.onOut(this.#health.outUntilMs);
  }

  /** It answered a call. */
  onSuccess(nowMs: number): void {
    if (this.#health === well) return;
    const wasOnTrial = this.#health.onTrial;
    this.#health = decideSuccess(this.#health, nowMs, this.#limits);
    if (!wasOnTrial || this.#health.onTrial) return;
    this.startSlowly(nowMs);
    this.#listener.onRoom();
  }

  /** What is known against it does not count any more. */
  pardon(): void {
    this.#health = well;
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

  /** An answer of it goes on until somebody ends it. */
  openStream(stream: Stream): void {
    this.#streams.add(stream);
    if (this.#endsStreams) stream.endStream();
  }

  closeStream(stream: Stream): void {
    this.#streams.delete(stream);
  }

  /** Ends what would go on, now and from now on. */
  endStreams(): void {
    this.#endsStreams = true;
    for (const stream of [...this.#streams]) stream.endStream();
  }

  /**
   * Resolves once it is retired and its last call is over. What would go on is ended early enough
   * for that to be so within this time.
   */
  drained(withinMs: number): Promise<void> {
    if (this.#retired && this.inFlight === 0) return Promise.resolve();
    this.#endStreamsWithin(withinMs);
    return new Promise((resolve) => {
      this.#drainWaits.push(resolve);
    });
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
    return new UpstreamConnection(this.endpoint, this, this.#limits);
  }

  #endStreamsWithin(withinMs: number): void {
    const delayMs = Math.max(0, withinMs - this.#limits.lingerMs);
    const dueMs = this.#clock.monotonicMs() + delayMs;
    if (this.#streamsTimer !== undefined && this.#streamsTimer.dueMs <= dueMs) return;
    this.#streamsTimer?.handle.cancel();
    const handle = this.#clock.after(delayMs, () => this.endStreams());
    this.#streamsTimer = { handle, dueMs };
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
    if (this.inFlight > 0) return;
    this.#streamsTimer?.handle.cancel();
    for (const resolve of this.#drainWaits.splice(0)) resolve();
    this.#listener.onDrained(this);
  }
}
