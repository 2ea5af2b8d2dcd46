import type { Demand } from '../src/demand.ts';

/** What calls and Instances are. */
export interface LineModel {
  /** How long an Instance works on a call, in milliseconds. */
  readonly callMs: number;
  /** Calls that it takes at once. */
  readonly limit: number;
  /** From its start until it takes calls, in milliseconds. */
  readonly startMs: number;
}

const stepMs = 10;

/**
 * Calls in line before Instances, as a fluid, in steps of ten milliseconds: what a Gateway would
 * have measured of them. They wait only where all Instances are busy.
 */
export class Line {
  readonly #model: LineModel;
  #nowMs: number;
  #startsMs: number[] = [];
  #waiting = 0;
  /** Calls that were begun, in each of the last steps that a call takes. */
  #begun: number[] = [];
  #inFlight = 0;
  #arrivals = 0;
  #busyMs = 0;
  #waitedMs = 0;
  #served = 0;
  #lastActiveMs = 0;

  constructor(model: LineModel, nowMs: number) {
    this.#model = model;
    this.#nowMs = nowMs;
  }

  /** From now on so many Instances are wanted; those that started last end first. */
  scale(count: number): void {
    while (this.#startsMs.length < count) this.#startsMs.push(this.#nowMs);
    this.#startsMs.length = count;
  }

  get ready(): number {
    return this.#startsMs.filter((atMs) => atMs + this.#model.startMs <= this.#nowMs).length;
  }

  /** Lets time pass in which calls arrive at an even rate. */
  pass(ms: number, perSecond: number): void {
    for (const endMs = this.#nowMs + ms; this.#nowMs < endMs; this.#nowMs += stepMs) {
      this.arrive((perSecond * stepMs) / 1000);
      this.#step();
    }
  }

  /** Calls that come all at once. */
  arrive(count: number): void {
    this.#waiting += count;
    this.#arrivals += count;
  }

  #step(): void {
    const { ready } = this;
    const { limit, callMs } = this.#model;
    const steps = Math.max(1, Math.round(callMs / stepMs));
    const ended = this.#begun.length >= steps ? (this.#begun.shift() ?? 0) : 0;
    const begun = Math.min(this.#waiting, Math.max(0, ready * limit - this.#inFlight + ended));
    this.#served += ended;
    this.#waiting -= begun;
    this.#inFlight += begun - ended;
    this.#begun.push(begun);
    this.#busyMs += this.#inFlight * stepMs;
    if (ready > 0) this.#waitedMs += this.#waiting * stepMs;
    if (this.#waiting + this.#inFlight > 0) this.#lastActiveMs = this.#nowMs + stepMs;
  }

  demand(): Demand {
    return {
      inFlight: Math.ceil(this.#inFlight),
      queued: Math.ceil(this.#waiting),
      arrivals: this.#arrivals,
      concurrencyMs: this.#busyMs + this.#waitedMs,
      busyMs: this.#busyMs,
      served: this.#served,
      servedMs: this.#served * this.#model.callMs,
      lastActiveMs: this.#lastActiveMs,
    };
  }
}
