/**
 * A Function under load, second by second, as a fluid: calls that find no room wait in line, an
 * Instance that was started takes a while until it has room, and one that is to end ends.
 *
 * I1. Every request arrives once and is served once; one that waits beyond the bound is late.
 * I2. An Instance costs from the second in which it is started, ready or not.
 */
import type { Demand } from '@fnlet/scaling';

/** What one Instance is. */
export interface ServiceModel {
  /** From its start until it takes calls. */
  readonly startSeconds: number;
  /** How long it works on a call. */
  readonly callSeconds: number;
  /** Calls that it takes at once. */
  readonly limit: number;
  /** A call that waits longer is late. */
  readonly boundSeconds: number;
}

export class Service {
  requests = 0;
  late = 0;
  instanceSeconds = 0;
  readonly #model: ServiceModel;
  readonly #perInstance: number;
  #ready = 0;
  /** When each Instance that starts will be ready, in seconds. */
  #starting: number[] = [];
  #waiting = 0;
  #inFlight = 0;
  #concurrencyMs = 0;
  #busyMs = 0;
  #served = 0;
  #lastActiveMs = 0;

  constructor(model: ServiceModel) {
    this.#model = model;
    this.#perInstance = model.limit / model.callSeconds;
  }

  get ready(): number {
    return this.#ready;
  }

  get instances(): number {
    return this.#ready + this.#starting.length;
  }

  /** From now on so many Instances are wanted. */
  scale(count: number, second: number): void {
    while (this.instances < count) this.#starting.push(second + this.#model.startSeconds);
    while (this.instances > count && this.#starting.length > 0) this.#starting.pop();
    this.#ready = Math.min(this.#ready, count);
  }

  /** Lets one second pass in which so many requests arrive. */
  pass(arrivals: number, second: number): void {
    this.#ready += this.#starting.filter((readyAt) => readyAt <= second).length;
    this.#starting = this.#starting.filter((readyAt) => readyAt > second);
    const room = this.#ready * this.#perInstance;
    const before = this.#waiting;
    const served = Math.min(before + arrivals, room);
    this.#waiting = before + arrivals - served;
    this.late += arrivals * this.#lateShare({ before, after: this.#waiting, room }, second);
    this.requests += arrivals;
    this.instanceSeconds += this.instances;
    this.#inFlight = served * this.#model.callSeconds;
    // What waits for the first Instance says nothing about how many it will keep busy.
    const counted = this.#inFlight + (this.#ready > 0 ? this.#waiting : 0);
    this.#concurrencyMs += counted * 1000;
    this.#busyMs += this.#inFlight * 1000;
    this.#served += served;
    if (arrivals > 0 || this.#waiting > 0) this.#lastActiveMs = (second + 1) * 1000;
  }

  /** What the Gateway would have measured. */
  demand(): Demand {
    return {
      inFlight: Math.ceil(this.#inFlight),
      queued: Math.ceil(this.#waiting),
      arrivals: this.requests,
      concurrencyMs: this.#concurrencyMs,
      busyMs: this.#busyMs,
      served: this.#served,
      servedMs: this.#busyMs,
      lastActiveMs: this.#lastActiveMs,
    };
  }

  /** Of those who arrive within a second, how many wait too long; their waits grow evenly. */
  #lateShare(
    {
      before,
      after,
      room,
    }: { readonly before: number; readonly after: number; readonly room: number },
    second: number,
  ): number {
    const { boundSeconds } = this.#model;
    if (room === 0) {
      const firstReady = this.#starting[0] ?? second + this.#model.startSeconds + 1;
      return firstReady - second > boundSeconds ? 1 : 0;
    }
    const [from, to] = [before / room, after / room].toSorted((a, b) => a - b);
    if (from === undefined || to === undefined || to <= boundSeconds) return 0;
    return from >= boundSeconds ? 1 : (to - boundSeconds) / (to - from);
  }
}
