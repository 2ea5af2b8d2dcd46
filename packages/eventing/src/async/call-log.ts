/**
 * Where calls are kept, under four prefixes of a store of their own:
 *
 * - `call/<id>`: what was asked; written when the call is accepted, and never again
 * - `state/<id>`: how far it is; not there as long as nothing happened
 * - `answer/<id>`: what the function answered last
 * - `key/<digest>`: the call that an idempotency key stands for
 *
 * I1. What a write has resolved survives a crash; the parts of one write are there together.
 */
import { assert, hasCode, sha256 } from '@fnlet/base';
import type { Mutation, Store } from '@fnlet/store';
import { type Call, isCall, isKeptAnswer, type KeptAnswer } from './call.ts';
import { type CallState, firstState, isCallState } from './call-state.ts';

/** A call as it was found. */
export interface LoggedCall {
  readonly call: Call;
  readonly state: CallState;
  /** What it takes, with its answer. */
  readonly bytes: number;
}

/** A call that an idempotency key stands for. */
export interface KeyHolder {
  readonly id: string;
  /** Tells whether the same was asked. */
  readonly fingerprint: string;
}

export class CallLog {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** All calls, in no order. */
  *load(): Generator<LoggedCall, void, undefined> {
    for (const { value, text } of this.#store.scan('call/')) {
      assert(isCall(value), 'a call was stored as one');
      const answer = this.#store.get(`answer/${value.id}`);
      const bytes = text.length + (answer?.text.length ?? 0);
      yield { call: value, state: this.state(value), bytes };
    }
  }

  /**
   * Keeps a new call. Resolves with the number of bytes that it takes, or with the one that its
   * idempotency key stands for already.
   */
  async accept(call: Call, fingerprint: string): Promise<number | KeyHolder> {
    const text = JSON.stringify(call);
    const mutations: Mutation[] = [
      { key: `call/${call.id}`, value: { ...call }, text, expected: 0 },
    ];
    if (call.keyName !== undefined) {
      const value = { id: call.id, fingerprint };
      mutations.push({ key: `key/${call.keyName}`, value, expected: 0 });
    }
    try {
      await this.#store.write(mutations);
      return text.length;
    } catch (error) {
      const holder = hasCode(error, 'Conflict') ? this.holder(call.keyName) : undefined;
      if (holder === undefined) throw error;
      return holder;
    }
  }

  /** The call that a key stands for. */
  holder(keyName: string | undefined): KeyHolder | undefined {
    if (keyName === undefined) return undefined;
    const { id, fingerprint } = this.#store.get(`key/${keyName}`)?.value ?? {};
    return typeof id === 'string' && typeof fingerprint === 'string'
      ? { id, fingerprint }
      : undefined;
  }

  /** Keeps how far a call is; resolves with the number of bytes that its answer takes. */
  async setState(id: string, state: CallState, answer?: KeptAnswer): Promise<number> {
    const text = answer === undefined ? '' : JSON.stringify(answer);
    await this.#store.write([
      { key: `state/${id}`, value: { ...state }, expected: undefined },
      ...(answer === undefined
        ? []
        : [{ key: `answer/${id}`, value: { ...answer }, text, expected: undefined }]),
    ]);
    return text.length;
  }

  call(id: string): Call | undefined {
    const value = this.#store.get(`call/${id}`)?.value;
    return isCall(value) ? value : undefined;
  }

  state(call: Call): CallState {
    const value = this.#store.get(`state/${call.id}`)?.value;
    return isCallState(value) ? value : firstState(call);
  }

  answer(id: string): KeptAnswer | undefined {
    const value = this.#store.get(`answer/${id}`)?.value;
    return isKeptAnswer(value) ? value : undefined;
  }

  async remove(id: string, keyName: string | undefined): Promise<void> {
    const keys = [`call/${id}`, `state/${id}`, `answer/${id}`];
    if (keyName !== undefined) keys.push(`key/${keyName}`);
    await this.#store.write(keys.map((key) => ({ key, value: undefined, expected: undefined })));
  }
}

/**
 * Under what an idempotency key is kept: keys of different Functions are different, and those of
 * callers that a route tells apart. Who guesses the key of somebody else gets no call of theirs.
 *
 * @param caller who calls, and how that was proved; empty where nothing was asked
 */
export function keyNameOf(
  { namespace, function: name }: Pick<Call, 'namespace' | 'function'>,
  key: string,
  caller: string,
): string {
  return sha256(`${namespace}/${name}/${key}${caller === '' ? '' : `\n${caller}`}`);
}
