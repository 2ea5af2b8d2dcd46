import { type Clock, errorMessage, sleep } from '@fnlet/base';
import type { DirectStreamAPI, JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { LogError } from '../log-error.ts';
import { limits } from './limits.ts';

/** A message as the server keeps it. */
export interface KeptMessage {
  readonly seq: number;
  readonly data: Uint8Array;
  /** What its writer told it from others by. */
  readonly id: string;
}

export interface PublishOptions {
  /** The last message of the subject; 0: there is none. */
  readonly expectedLast: number;
  /** What the message is known by. Default: a new id. */
  readonly id?: string;
  /** Whether the messages before it go. */
  readonly replaces?: boolean;
}

/** What a link is made of; the modules of NATS are loaded only by whoever connects. */
export interface LinkParts {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  /** Reads from any replica; only where there is one can it not be behind. */
  readonly direct: DirectStreamAPI | undefined;
  readonly newHeaders: () => MsgHdrs;
  readonly newId: () => string;
  readonly stream: string;
  readonly clock: Clock;
}

// err_code of $JS.API: https://github.com/nats-io/nats-server/blob/main/server/errors.json
const wrongLast = 10_071;
// Of servers that vote: a message of the subject, or this very one, is not decided about yet.
const undecided: ReadonlySet<number> = new Set([10_158, 10_164]);
const notFound = 10_037;
const fullCodes: ReadonlySet<number> = new Set([10_023, 10_028, 10_047, 10_077, 10_122]);
const tooLarge = 10_054;

/**
 * One JetStream stream of one server, as conditional writes and reads of subjects.
 *
 * A write whose outcome is not known, because the answer did not come, is tried again: the server
 * knows the message by its id (`Nats-Msg-Id`), and its place is conditional. So it happens once.
 */
export class NatsLink {
  readonly #parts: LinkParts;
  /** Give up what waits for an answer on a connection that has broken. */
  readonly #interrupts = new Set<(error: Error) => void>();
  readonly #reconnectListeners = new Set<() => void>();
  #isConnected = true;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    void this.#watchConnection();
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#parts.connection.status()) {
      if (type === 'disconnect') {
        this.#isConnected = false;
        for (const interrupt of this.#interrupts) interrupt(new Error('the connection broke'));
      }
      if (type === 'reconnect') {
        this.#isConnected = true;
        for (const listener of this.#reconnectListeners) listener();
      }
    }
  }

  /** The answer, unless the connection breaks before it: then nothing more comes on it. */
  #answer<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (!this.#isConnected) return Promise.reject(new Error('there is no connection'));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#interrupts.add(reject);
    ask()
      .then(resolve, reject)
      .finally(() => this.#interrupts.delete(reject));
    return promise;
  }

  /** Bytes of a message, with its headers, that the server takes. */
  get messageBytesMax(): number {
    return this.#parts.connection.info?.max_payload ?? 1_048_576;
  }

  newId(): string {
    return this.#parts.newId();
  }

  /**
   * Appends a message to its subject, and gives its place.
   *
   * @throws LogError `Conflict` when the subject has another last message, `Full`, `Unavailable`
   */
  async publish(subject: string, data: Uint8Array, options: PublishOptions): Promise<number> {
    const { clock, newHeaders } = this.#parts;
    const { id = this.newId() } = options;
    const headers = newHeaders();
    headers.set('Nats-Msg-Id', id);
    headers.set('Nats-Expected-Last-Subject-Sequence', String(options.expectedLast));
    if (options.replaces === true) headers.set('Nats-Rollup', 'sub');
    const untilMs = clock.monotonicMs() + limits.unansweredMsMax;
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await this.#answer(() => this.#publishOnce(subject, data, headers));
      } catch (error) {
        if (isUndecided(error) && clock.monotonicMs() <= untilMs) {
          // It is as soon as the leader has answered something else.
          await this.last(subject);
          continue;
        }
        const failure = toLogError(error);
        if (failure.code === 'Conflict' && isAgain) {
          return await this.#ownPlace(subject, { id, ...options }, failure);
        }
        if (failure.code !== 'Unavailable' || this.#parts.connection.isClosed()) throw failure;
        if (clock.monotonicMs() > untilMs) throw failure;
        await sleep(clock, limits.retryMs);
      }
    }
  }

  async #publishOnce(subject: string, data: Uint8Array, headers: MsgHdrs): Promise<number> {
    const timeout = limits.answerMsMax;
    const answer = await this.#parts.connection.request(subject, data, { timeout, headers });
    const ack: PublishAck = answer.json();
    if (ack.error !== undefined) throw new ServerRefusal(ack.error);
    // 2.10: the same message came before, and has no place yet.
    if (ack.seq === 0) throw new ServerRefusal({ err_code: 10_158, description: 'not decided' });
    if (typeof ack.seq !== 'number') throw new Error(`found no sequence in ${answer.string()}`);
    return ack.seq;
  }

  /**
   * A first try may have arrived unanswered; then one of the messages that came since is ours, and
   * not always the last: others may have written behind it.
   */
  async #ownPlace(
    subject: string,
    { id, expectedLast }: { readonly id: string; readonly expectedLast: number },
    conflict: LogError,
  ): Promise<number> {
    for (let from = expectedLast + 1, looked = 0; looked < limits.conflictsMax; looked++) {
      const found = await this.next(subject, from);
      if (found?.id === id) return found.seq;
      if (found === undefined) break;
      from = found.seq + 1;
    }
    throw conflict;
  }

  last(subject: string): Promise<KeptMessage | undefined> {
    return this.#get({ last_by_subj: subject });
  }

  /** The first message of the subject from this place on. */
  next(subject: string, seq: number): Promise<KeptMessage | undefined> {
    return this.#get({ seq: Math.max(1, seq), next_by_subj: subject });
  }

  async #get(
    query: { last_by_subj: string } | { seq: number; next_by_subj: string },
  ): Promise<KeptMessage | undefined> {
    const { manager, direct, stream } = this.#parts;
    return this.#ask(async () => {
      const message: StoredMsg | null =
        direct === undefined
          ? await manager.streams.getMessage(stream, query)
          : await direct.getMessage(stream, query);
      if (message === null) return undefined;
      const { seq, data, header } = message;
      return { seq, data, id: header.get('Nats-Msg-Id') };
    });
  }

  /** The subjects that match and have messages. */
  async subjects(filter: string): Promise<readonly string[]> {
    const { manager, stream } = this.#parts;
    const info = await this.#ask(() => manager.streams.info(stream, { subjects_filter: filter }));
    return Object.keys(info.state.subjects ?? {});
  }

  /** Removes the messages of these subjects, before this place if one is given. */
  async purge(filter: string, before?: number): Promise<void> {
    const { manager, stream } = this.#parts;
    const place = before === undefined ? {} : { seq: before };
    await this.#ask(() => manager.streams.purge(stream, { filter, ...place }));
  }

  async remove(seq: number): Promise<void> {
    const { manager, stream } = this.#parts;
    await this.#ask(() => manager.streams.deleteMessage(stream, seq, false)).catch(
      (error: unknown) => {
        // Gone already: so it was wanted.
        if (!(error instanceof LogError) || !isNotFound(error.cause)) throw error;
      },
    );
  }

  /** Tells whoever listens, in any process; a message of no stream, which nothing keeps. */
  tell(subject: string): void {
    if (!this.#parts.connection.isClosed()) this.#parts.connection.publish(subject);
  }

  listen(subject: string, listener: () => void): () => void {
    const subscription = this.#parts.connection.subscribe(subject, { callback: listener });
    return () => subscription.unsubscribe();
  }

  /** Calls back when messages that nothing keeps may have been missed. */
  onReconnect(listener: () => void): void {
    this.#reconnectListeners.add(listener);
  }

  /** Asks again while the server does not answer. */
  async #ask<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const { clock, connection } = this.#parts;
    const untilMs = clock.monotonicMs() + limits.unansweredMsMax;
    for (;;) {
      try {
        return await this.#answer(ask);
      } catch (error) {
        const failure = toLogError(error);
        const isLate = clock.monotonicMs() > untilMs;
        if (failure.code !== 'Unavailable' || connection.isClosed() || isLate) throw failure;
        await sleep(clock, limits.retryMs);
      }
    }
  }

  async close(): Promise<void> {
    await this.#parts.connection.close();
  }
}

interface ServerError {
  readonly err_code?: number;
  readonly description?: string;
}

interface PublishAck {
  readonly seq?: unknown;
  readonly error?: ServerError;
}

class ServerRefusal extends Error {
  readonly code: number;

  constructor({ err_code = 0, description = 'an error' }: ServerError) {
    super(description);
    this.code = err_code;
  }
}

function isUndecided(error: unknown): boolean {
  return error instanceof ServerRefusal && undecided.has(error.code);
}

function isNotFound(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && [notFound, 10_043].includes(Number(error.code))
  );
}

/** What the server or the connection said, in the words of a log. */
export function toLogError(error: unknown): LogError {
  if (error instanceof LogError) return error;
  const code = error instanceof Error && 'code' in error ? Number(error.code) : Number.NaN;
  const found = `Cannot use the NATS server: ${errorMessage(error)}`;
  if (code === wrongLast) {
    return new LogError('Conflict', `${found}, expected nobody before`, { cause: error });
  }
  if (fullCodes.has(code)) {
    return new LogError('Full', `${found}, expected room for a message`, {
      cause: error,
      retry: 'later',
      remedy: 'Give JetStream more storage',
    });
  }
  if (code === tooLarge) {
    return new LogError('TooLarge', `${found}, expected a message it takes`, { cause: error });
  }
  return new LogError('Unavailable', `${found}, expected an answer`, {
    cause: error,
    retry: 'later',
    remedy: 'Check that the server runs with JetStream and is reached',
  });
}
