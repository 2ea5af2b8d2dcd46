/**
 * Calls that are answered later: accepted durably, tried until they succeed or there is no point in
 * trying, kept for a while with what came of them.
 *
 * I1. A call whose acceptance was answered is on the disk.
 * I2. Until it is over, it is tried: at least once, after a crash again, never at the same time as
 *     another try of it.
 */
import { type Clock, hasCode, type Logger, type MetricFamily, type Random } from '@fnlet/base';
import type { Invoker } from '@fnlet/invocation';
import type { Store } from '@fnlet/store';
import { cancelCall, recoverCall, redriveCall } from './advance-call.ts';
import { AsyncCallError } from './async-call-error.ts';
import type { Call, KeptAnswer } from './call.ts';
import { laneOf } from './call.ts';
import { makeCallId } from './call-id.ts';
import {
  CallIndex,
  type CallSummary,
  type Entry,
  isForgotten,
  type Shortage,
} from './call-index.ts';
import { CallLog, type KeyHolder } from './call-log.ts';
import { callMetrics } from './call-metrics.ts';
import { type CallRequest, fingerprintOf, readTreatment } from './call-request.ts';
import { type CallPhase, type CallState, firstState, isFinished } from './call-state.ts';
import { type CallView, viewCall } from './call-view.ts';
import { CallWork } from './call-work.ts';
import { type CallbackPort, firstCallback } from './callback.ts';
import { keepBody } from './kept-body.ts';
import { type AsyncLimits, resolveAsyncLimits } from './limits.ts';

export interface AsyncCallsOptions {
  /** Of its own; its owner closes it, after this. */
  readonly store: Store;
  /** Calls Functions. */
  readonly invoke: Invoker;
  readonly callbacks: CallbackPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Replaces single limits. */
  readonly limits?: Partial<AsyncLimits>;
}

/** Which calls are wanted. */
export interface CallQuery {
  /** Default: all of them. */
  readonly namespace?: string | undefined;
  readonly function?: string | undefined;
  readonly phase?: CallPhase | undefined;
  /** At most so many, those that were accepted last first. */
  readonly limit: number;
}

export class AsyncCalls {
  readonly #log: CallLog;
  readonly #index: CallIndex;
  readonly #work: CallWork;
  readonly #options: AsyncCallsOptions;
  readonly #limits: AsyncLimits;
  /** Calls that ended by the last start, which is not on the disk yet. */
  readonly #ended: string[] = [];
  #closing = false;

  /** Takes up what the store holds. */
  constructor(options: AsyncCallsOptions) {
    const { store, invoke, callbacks, clock, random, logger } = options;
    const limits = resolveAsyncLimits(options.limits);
    const log = new CallLog(store);
    const index = new CallIndex(limits);
    this.#options = options;
    this.#limits = limits;
    this.#log = log;
    this.#index = index;
    this.#work = new CallWork({ log, index, invoke, callbacks, clock, random, logger, limits });
    this.#takeUp();
  }

  /** Tries calls until `signal` aborts; then lets those in flight end. Rejects: the store broke. */
  async run(signal: AbortSignal): Promise<void> {
    for (const id of this.#ended) {
      const entry = this.#index.get(id);
      if (entry !== undefined) await this.#log.setState(id, entry.state);
    }
    await this.#work.run(signal);
  }

  /** No further call is accepted. */
  close(): void {
    this.#closing = true;
  }

  /**
   * Keeps a call, and resolves when it is on the disk; with an idempotency key that stands for the
   * same request already, with that call.
   *
   * @throws AsyncCallError `InvalidRequest`, `CallbackRefused`, `KeyReused`, `FunctionQueueFull`,
   * `QueueFull`, `StoreFull`, `Closing`
   */
  async accept(request: CallRequest): Promise<CallView> {
    const treatment = readTreatment(request, this.#limits);
    const { callbackUrl, keyName } = treatment;
    this.#checkCallback(callbackUrl);
    const fingerprint = keyName === undefined ? '' : fingerprintOf(request);
    const holder = this.#log.holder(keyName);
    if (holder !== undefined && (await this.#holds(holder, keyName))) {
      return this.#sameCall(holder, fingerprint);
    }
    if (this.#closing) throw new AsyncCallError('Closing', 'Cannot accept the call: Fnlet ends');
    const { clock, random } = this.#options;
    const { body, ...asked } = request;
    const acceptedMs = clock.now();
    const id = makeCallId(acceptedMs, random);
    const call = { ...asked, id, body: keepBody(body), acceptedMs, ...treatment };
    const entry = this.#enter(call, body.length);
    try {
      const kept = await this.#log.accept(call, fingerprint);
      if (typeof kept !== 'number') {
        this.#index.remove(entry);
        return this.#sameCall(kept, fingerprint);
      }
      entry.held = false;
      this.#index.update(entry, entry.state, kept - entry.bytes);
      this.#work.place(entry);
      return this.#view(entry);
    } catch (error) {
      if (entry.held) this.#index.remove(entry);
      if (hasCode(error, 'Full')) throw shortOf('StoreFull', this.#limits);
      throw error;
    }
  }

  /** How many calls of a Function wait or are tried; what its scaling may go by. */
  lagOf(key: { readonly namespace: string; readonly name: string }): number {
    return this.#index.openOf(laneOf({ namespace: key.namespace, function: key.name }));
  }

  /** What is kept, by state. */
  metrics(): readonly MetricFamily[] {
    return callMetrics(this.#index.values());
  }

  /** @throws AsyncCallError `NotFound` */
  find(id: string): CallView {
    return this.#view(this.#entry(id));
  }

  /**
   * What the function answered last.
   *
   * @throws AsyncCallError `NotFound`, `NotFinished`
   */
  answer(id: string): KeptAnswer {
    const { state } = this.#entry(id);
    const isThere = state.answered !== undefined && isFinished(state);
    const answer = isThere ? this.#log.answer(id) : undefined;
    if (answer !== undefined) return answer;
    if (!isFinished(state)) {
      throw new AsyncCallError('NotFinished', `Call "${id}" is ${state.phase}: no answer yet`);
    }
    const why = state.failure?.message ?? 'it was never tried';
    throw new AsyncCallError(
      'NotFound',
      `Call "${id}" is ${state.phase} without an answer: ${why}`,
    );
  }

  /**
   * Takes a call back that is not running; once more changes nothing.
   *
   * @throws AsyncCallError `NotFound`, `Running`, `Finished`
   */
  async cancel(id: string): Promise<CallView> {
    const entry = this.#entry(id);
    const { phase } = entry.state;
    if (phase === 'cancelled') return this.#view(entry);
    const next = entry.held ? undefined : cancelCall(entry.state, this.#options.clock.now());
    if (next === undefined) throw notNow('cancel', entry);
    const callback = firstCallback(entry.call, this.#options.clock.now());
    return this.#change(entry, { ...next, callback });
  }

  /**
   * Tries a call anew that came to nothing.
   *
   * @throws AsyncCallError `NotFound`, `Running`, `Finished`, `FunctionQueueFull`, `QueueFull`
   */
  async redrive(id: string): Promise<CallView> {
    const entry = this.#entry(id);
    const { lifetimeMs } = entry.call;
    const nowMs = this.#options.clock.now();
    const next = entry.held ? undefined : redriveCall(entry.state, { nowMs, lifetimeMs });
    if (next === undefined) throw notNow('retry', entry);
    const shortage = this.#index.shortage(entry.lane, 0);
    if (shortage !== undefined) throw shortOf(shortage, this.#limits);
    return this.#change(entry, next);
  }

  list({ namespace, function: name, phase, limit }: CallQuery): readonly CallView[] {
    const nowMs = this.#options.clock.now();
    const found: Entry[] = [];
    for (const entry of this.#index.values()) {
      const { call, state } = entry;
      const isWanted =
        (namespace === undefined || call.namespace === namespace) &&
        (name === undefined || call.function === name) &&
        (phase === undefined || state.phase === phase);
      if (isWanted && !isForgotten(state, nowMs, this.#limits.keptMs)) found.push(entry);
    }
    return found
      .slice(-limit)
      .reverse()
      .map((entry) => this.#view(entry));
  }

  #takeUp(): void {
    const { clock, random } = this.#options;
    const context = { nowMs: clock.now(), random, limits: this.#limits };
    const found: { readonly call: CallSummary; readonly state: CallState; bytes: number }[] = [];
    for (const { call, state, bytes } of this.#log.load()) {
      const recovered = recoverCall(state, { ...context, attemptsMax: call.attemptsMax });
      const isNewEnd = isFinished(recovered) && !isFinished(state);
      const callback = isNewEnd ? firstCallback(call, context.nowMs) : recovered.callback;
      // What was sent stays on the disk until the call is tried.
      const { headers: _, body: __, ...summary } = call;
      if (isNewEnd) this.#ended.push(call.id);
      found.push({ call: summary, state: { ...recovered, callback }, bytes });
    }
    found.sort((a, b) => orderOf(a) - orderOf(b));
    for (const { call, state, bytes } of found) {
      this.#work.place(this.#index.add(call, state, bytes));
    }
  }

  #enter(call: Call, bytes: number): Entry {
    const shortage = this.#index.shortage(laneOf(call), bytes);
    if (shortage !== undefined) throw shortOf(shortage, this.#limits);
    const entry = this.#index.add(call, firstState(call), bytes);
    entry.held = true;
    return entry;
  }

  #checkCallback(url: string | undefined): void {
    const refusal = url === undefined ? undefined : this.#options.callbacks.refuse(url);
    if (refusal === undefined) return;
    throw new AsyncCallError('CallbackRefused', `Cannot call back "${url}": ${refusal}`);
  }

  /** Whether a key still stands for its call; otherwise both are gone now. */
  async #holds({ id }: KeyHolder, keyName: string | undefined): Promise<boolean> {
    const entry = this.#index.get(id);
    const { keptMs } = this.#limits;
    if (entry !== undefined && !isForgotten(entry.state, this.#options.clock.now(), keptMs)) {
      return true;
    }
    await this.#log.remove(id, keyName);
    if (entry !== undefined) this.#index.remove(entry);
    return false;
  }

  #sameCall(holder: KeyHolder, fingerprint: string): CallView {
    if (holder.fingerprint === fingerprint) return this.find(holder.id);
    throw new AsyncCallError(
      'KeyReused',
      `Cannot accept the call: its idempotency key stands for call "${holder.id}", ` +
        'which asked for something else',
      { remedy: 'Choose a new key for a new request' },
    );
  }

  async #change(entry: Entry, next: CallState): Promise<CallView> {
    entry.held = true;
    this.#work.withdraw(entry);
    let kept = entry.state;
    try {
      await this.#log.setState(entry.call.id, next);
      kept = next;
    } finally {
      entry.held = false;
      this.#index.update(entry, kept);
      this.#work.place(entry);
    }
    return this.#view(entry);
  }

  #entry(id: string): Entry {
    const entry = this.#index.get(id);
    const { keptMs } = this.#limits;
    if (entry !== undefined) {
      if (!isForgotten(entry.state, this.#options.clock.now(), keptMs)) return entry;
      this.#work.wake();
    }
    throw new AsyncCallError(
      'NotFound',
      `There is no call "${id}": it never was, or it ended more than ${keptMs / 3_600_000} hours ` +
        'ago, or others needed its place',
    );
  }

  #view({ call, state }: Entry): CallView {
    return viewCall(call, state, { nowMs: this.#options.clock.now(), keptMs: this.#limits.keptMs });
  }
}

/** Those that are over in the order in which they ended, all others in that of acceptance. */
function orderOf({
  call,
  state,
}: {
  readonly call: CallSummary;
  readonly state: CallState;
}): number {
  return state.finishedMs ?? call.acceptedMs;
}

function notNow(action: 'cancel' | 'retry', { call, state, held }: Entry): AsyncCallError {
  const code = isFinished(state) && !held ? 'Finished' : 'Running';
  const expected = action === 'cancel' ? 'one that waits' : 'one that came to nothing';
  const message = `Cannot ${action} call "${call.id}": found it ${state.phase}, expected ${expected}`;
  return new AsyncCallError(code, message);
}

function shortOf(shortage: Shortage, limits: AsyncLimits): AsyncCallError {
  const { queuedPerFunctionMax, queuedMax } = limits;
  const found = {
    FunctionQueueFull: `${queuedPerFunctionMax} calls of this Function wait already`,
    QueueFull: `${queuedMax} calls wait already`,
    StoreFull: 'there is no room on the disk for it',
  };
  const message = `Cannot accept the call: ${found[shortage]}`;
  return new AsyncCallError(shortage, message, { retry: 'later' });
}
