/**
 * The loop that does what is to be done: tries calls, tells callback URLs, forgets what is old.
 *
 * I1. A try is on the disk before it begins, and its outcome before anybody is told of it.
 * I2. An entry has at most one piece of work: it waits in a lane, waits for its time, or is held.
 * I3. Where nothing waits, there is no timer.
 */
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  hasCode,
  type Logger,
  type Random,
  sleep,
} from '@fnlet/base';
import type { InvocationAnswer, Invoker } from '@fnlet/invocation';
import { DueList } from '../due-list.ts';
import { type AdvanceContext, beginAttempt, endAttempt } from './advance-call.ts';
import type { Call, KeptAnswer } from './call.ts';
import { type CallIndex, type Entry, isOver } from './call-index.ts';
import type { CallLog } from './call-log.ts';
import { type CallState, isFinished } from './call-state.ts';
import { type CallbackPort, callbackMessage, endCallback, firstCallback } from './callback.ts';
import type { AttemptOutcome } from './decide-retry.ts';
import { deliveredInvocation } from './delivered-invocation.ts';
import { FairLanes, type WorkResult } from './fair-lanes.ts';
import { keepBody } from './kept-body.ts';
import type { AsyncLimits } from './limits.ts';

export interface CallWorkParts {
  readonly log: CallLog;
  readonly index: CallIndex;
  readonly invoke: Invoker;
  readonly callbacks: CallbackPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: AsyncLimits;
}

export class CallWork {
  readonly #parts: CallWorkParts;
  readonly #lanes: FairLanes;
  readonly #due = new DueList<string>();
  /** When lanes go on that are paused. */
  readonly #pauses = new DueList<string>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #cut = new AbortController();
  #broken: { readonly error: unknown } | undefined;
  #inFlightBytes = 0;
  #wake: (() => void) | undefined;
  #isWoken = false;

  constructor(parts: CallWorkParts) {
    this.#parts = parts;
    this.#lanes = new FairLanes(parts.limits.inFlightPerFunctionMax);
  }

  /** Looks what is to be done with an entry, after its state changed. */
  place(entry: Entry): void {
    const { id } = entry.call;
    const { phase, dueMs, callback } = entry.state;
    if (phase === 'queued') this.#lanes.add(entry.lane, id);
    else if (phase === 'retrying') this.#due.add(id, dueMs);
    else if (callback?.phase === 'pending') this.#due.add(id, callback.dueMs);
    this.wake();
  }

  /** Takes an entry out that is not to be tried any more. */
  withdraw(entry: Entry): void {
    const { id, callbackUrl } = entry.call;
    this.#lanes.remove(entry.lane, id);
    if (callbackUrl !== undefined) this.#lanes.remove(callbackLane(callbackUrl), id);
  }

  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /**
   * Works until `signal` aborts; then lets what is in flight come to an end for `graceMs`. Rejects
   * when the store is broken.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, limits } = this.#parts;
    while (!signal.aborted) {
      this.#isWoken = false;
      const nowMs = clock.now();
      for (const lane of this.#pauses.take(nowMs)) this.#lanes.resume(lane);
      for (const id of this.#due.take(nowMs)) this.#ripen(id, nowMs);
      this.#forget(nowMs);
      while (this.#mayBegin() && this.#beginNext()) {}
      await this.#rest(signal);
      if (this.#broken !== undefined) throw this.#broken.error;
    }
    const ended = new AbortController();
    const grace = sleep(clock, limits.graceMs, ended.signal);
    await Promise.race([Promise.all(this.#tasks), grace]);
    ended.abort();
    this.#cut.abort();
    await Promise.all(this.#tasks);
  }

  #mayBegin(): boolean {
    const { inFlightMax, inFlightBytesMax } = this.#parts.limits;
    return this.#tasks.size < inFlightMax && this.#inFlightBytes < inFlightBytesMax;
  }

  #beginNext(): boolean {
    const next = this.#lanes.take();
    if (next === undefined) return false;
    const entry = this.#parts.index.get(next.id);
    if (entry === undefined || entry.held || isOver(entry.state))
      this.#lanes.done(next.key, 'well');
    else this.#begin(entry, next.key);
    return true;
  }

  #begin(entry: Entry, lane: string): void {
    const { bytes } = entry;
    entry.held = true;
    this.#inFlightBytes += bytes;
    const work = isFinished(entry.state) ? this.#callBack(entry) : this.#attempt(entry);
    const task = work
      .catch((error: unknown): WorkResult => {
        this.#fail(error);
        return 'badly';
      })
      .then((result) => {
        entry.held = false;
        this.#inFlightBytes -= bytes;
        this.#tasks.delete(task);
        this.#leave(lane, result);
        if (!this.#cut.signal.aborted) this.place(entry);
      });
    this.#tasks.add(task);
  }

  /** A lane that missed is left alone for a while: one try then tells about all that wait there. */
  #leave(lane: string, result: WorkResult): void {
    const misses = this.#lanes.done(lane, result);
    if (misses === 0) return;
    const { clock, random, limits } = this.#parts;
    const { retryBaseMs: baseMs, pauseCapMs: capMs } = limits;
    const pauseMs = backoffDelayMs(misses, { baseMs, capMs, jitter: 0.5 }, random);
    this.#pauses.add(lane, clock.now() + pauseMs);
  }

  async #attempt(entry: Entry): Promise<WorkResult> {
    const { log, index, clock, invoke, limits } = this.#parts;
    const call = log.call(entry.call.id);
    if (call === undefined) return 'well';
    const begun = beginAttempt(entry.state, clock.now());
    if (isFinished(begun)) {
      await this.#settle(entry, this.#withCallback(call, begun));
      return 'well';
    }
    if (!(await this.#keep(entry.call.id, begun)).kept) return 'well';
    index.update(entry, begun);
    const timeoutMs = begun.deadlineMs - clock.now();
    const { answerBytesMax } = limits;
    const asked = deliveredInvocation(call, begun.attempts, { timeoutMs, answerBytesMax });
    const outcome = await invoke(asked, this.#cut.signal);
    // What became of it is found out after the next start, from the state that says it runs.
    if (this.#cut.signal.aborted) return 'well';
    const { attemptsMax } = call;
    const ended = endAttempt(begun, outcome, { ...this.#context(), attemptsMax });
    const answer = outcome.kind === 'answered' ? keepAnswer(outcome) : undefined;
    await this.#settle(entry, this.#withCallback(call, ended), answer);
    return resultOf(outcome);
  }

  async #callBack(entry: Entry): Promise<WorkResult> {
    const { log, callbacks, clock, limits } = this.#parts;
    const { state } = entry;
    const call = log.call(entry.call.id);
    if (call === undefined || state.callback === undefined) return 'well';
    const message = callbackMessage(call, state, this.#answerOf(entry));
    const abort = new AbortController();
    const timer = clock.after(limits.callbackTimeoutMs, () => abort.abort());
    const signal = AbortSignal.any([abort.signal, this.#cut.signal]);
    const outcome = await this.#send(message.url, () => callbacks.send(message, signal));
    timer.cancel();
    if (this.#cut.signal.aborted) return 'well';
    const attemptsMax = limits.callbackAttempts;
    const callback = endCallback(state.callback, outcome, { ...this.#context(), attemptsMax });
    await this.#settle(entry, { ...state, callback });
    if (typeof outcome === 'string') return 'missed';
    return callback.phase === 'pending' ? 'badly' : 'well';
  }

  async #send(url: string, send: () => Promise<number>): Promise<number | string> {
    // Rules may have changed since the call was accepted.
    const refusal = this.#parts.callbacks.refuse(url);
    if (refusal !== undefined) return `Nothing is sent there: ${refusal}`;
    try {
      return await send();
    } catch (error) {
      return errorMessage(error);
    }
  }

  #answerOf({ call: { id }, state }: Entry): KeptAnswer | undefined {
    return state.answered === undefined ? undefined : this.#parts.log.answer(id);
  }

  #withCallback(call: Call, state: CallState): CallState {
    if (!isFinished(state)) return state;
    return { ...state, callback: firstCallback(call, this.#parts.clock.now()) };
  }

  /** Keeps the outcome of a piece of work and then goes by it. */
  async #settle(entry: Entry, state: CallState, answer?: KeptAnswer): Promise<void> {
    const { kept, bytes } = await this.#keep(entry.call.id, state, answer);
    if (kept) this.#parts.index.update(entry, state, bytes);
  }

  /** Waits while the disk is full; not kept when this is to end. */
  async #keep(
    id: string,
    state: CallState,
    answer?: KeptAnswer,
  ): Promise<{ readonly kept: boolean; readonly bytes: number }> {
    const { log, clock, limits, logger } = this.#parts;
    while (true) {
      try {
        return { kept: true, bytes: await log.setState(id, state, answer) };
      } catch (error) {
        if (!hasCode(error, 'Full')) throw error;
        logger.warn('Cannot keep how far a call is', { call: id, error: errorMessage(error) });
        const again = await sleep(clock, limits.diskRetryMs, this.#cut.signal);
        if (!again) return { kept: false, bytes: 0 };
      }
    }
  }

  /** The time of an entry has come. */
  #ripen(id: string, nowMs: number): void {
    const entry = this.#parts.index.get(id);
    if (entry === undefined || entry.held) return;
    const { phase, dueMs, callback } = entry.state;
    if (phase === 'retrying' && dueMs <= nowMs) this.#lanes.add(entry.lane, id);
    else if (callback?.phase === 'pending' && callback.dueMs <= nowMs) {
      this.#lanes.add(callbackLane(entry.call.callbackUrl ?? ''), id);
    }
  }

  #forget(nowMs: number): void {
    const { index, log } = this.#parts;
    for (const entry of index.surplus(nowMs)) {
      entry.held = true;
      const task = log
        .remove(entry.call.id, entry.call.keyName)
        .then(() => index.remove(entry))
        .catch((error: unknown) => {
          entry.held = false;
          if (!hasCode(error, 'Full')) this.#fail(error);
        })
        .then(() => void this.#tasks.delete(task));
      this.#tasks.add(task);
    }
  }

  #fail(error: unknown): void {
    this.#broken ??= { error };
    this.wake();
  }

  #context(): AdvanceContext {
    const { clock, random, limits } = this.#parts;
    return { nowMs: clock.now(), random, limits };
  }

  /** Until there is something to do. */
  async #rest(signal: AbortSignal): Promise<void> {
    if (this.#isWoken || signal.aborted) return;
    const { clock } = this.#parts;
    const nextMs = earlier(this.#due.nextMs, this.#pauses.nextMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = (): void => resolve();
    const timer =
      nextMs === undefined ? undefined : clock.after(nextMs - clock.now(), () => stop());
    this.#wake = stop;
    signal.addEventListener('abort', stop);
    await promise;
    this.#wake = undefined;
    timer?.cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** Servers that are called back wait for each other by their origin, and for no Function. */
function callbackLane(url: string): string {
  return `callback ${URL.parse(url)?.origin ?? url}`;
}

/** How the function coped: too much at once shows as refusals and as answers that come too late. */
function resultOf(outcome: AttemptOutcome): WorkResult {
  if (outcome.kind === 'failed') return outcome.reached ? 'badly' : 'missed';
  return [408, 429, 503, 504].includes(outcome.status) ? 'badly' : 'well';
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function keepAnswer({ status, headers, body, truncated }: InvocationAnswer): KeptAnswer {
  return { status, headers, body: keepBody(body), truncated };
}
