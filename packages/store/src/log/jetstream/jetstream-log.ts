import { type Clock, type Logger, silentLogger, systemClock } from '@fnlet/base';
import type { Log, LogStream, StreamOptions } from '../log.ts';
import { assertName } from '../log-core.ts';
import { LogError } from '../log-error.ts';
import { goneError } from '../staging.ts';
import { connectJetStream, type JetStreamOptions } from './connect-jetstream.ts';
import { JetStreamStream } from './jetstream-stream.ts';
import type { NatsLink } from './nats-link.ts';
import { type StreamHead, StreamHeads, token } from './stream-heads.ts';

export interface JetStreamLogOptions extends JetStreamOptions {
  /** What times and ages are told by. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Who is told when an acknowledgement may be worth less than one should think. */
  readonly logger?: Logger;
}

/**
 * A log on NATS JetStream, shared by all processes that open it; decisions/043-log.md tells how it
 * is laid out. Works with nats-server 2.9 and later.
 *
 * @example
 * await using log = await openJetStreamLog({ servers: ['nats://127.0.0.1:4222'], replicas: 3 });
 *
 * @throws LogError `Unavailable`, `NotDurable` when durable acknowledgements are required and are
 * not known to be
 */
export async function openJetStreamLog(options: JetStreamLogOptions): Promise<Log> {
  const { clock = systemClock, logger = silentLogger } = options;
  const { link, durability } = await connectJetStream(options, { clock, logger });
  return new JetStreamLog({ link, durability, clock, prefix: options.name ?? 'fnlet' });
}

interface LogParts {
  readonly link: NatsLink;
  readonly durability: Log['durability'];
  readonly clock: Clock;
  readonly prefix: string;
}

interface OpenStream {
  readonly id: string;
  readonly stream: JetStreamStream;
  isGone: boolean;
}

class JetStreamLog implements Log {
  readonly durability: Log['durability'];
  readonly #parts: LogParts;
  readonly #heads: StreamHeads;
  readonly #streams = new Map<string, OpenStream>();
  #refusal: LogError | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LogParts) {
    this.durability = parts.durability;
    this.#parts = parts;
    this.#heads = new StreamHeads(parts.link, `${parts.prefix}.log`);
    parts.link.onReconnect(() => {
      for (const { stream } of this.#streams.values()) stream.wake();
    });
  }

  async stream(name: string, options?: StreamOptions): Promise<LogStream> {
    this.#assertOpen();
    assertName(name);
    const head = await this.#heads.open(name, options);
    this.#assertOpen();
    const known = this.#streams.get(name);
    if (known?.id === head.id) {
      if (options !== undefined) known.stream.setOptions(options);
      return known.stream;
    }
    // Another process has removed the one that was open here.
    if (known !== undefined) await this.#forget(name, known);
    return this.#add(name, head);
  }

  #add(name: string, head: StreamHead): LogStream {
    const { link, clock, prefix } = this.#parts;
    const subject = this.#heads.subjectsOf(name, head);
    const refusal = (): LogError | undefined =>
      this.#refusal ?? (open.isGone ? goneError(name) : undefined);
    const stream = new JetStreamStream({
      link,
      clock,
      name,
      subject,
      wakes: `${prefix}.wake.${token(name)}`,
      options: head.options,
      refusal,
    });
    const open: OpenStream = { id: head.id, stream, isGone: false };
    this.#streams.set(name, open);
    return stream;
  }

  async streams(prefix: string): Promise<readonly string[]> {
    this.#assertOpen();
    return this.#heads.names(prefix);
  }

  async removeStream(name: string): Promise<void> {
    this.#assertOpen();
    const known = this.#streams.get(name);
    if (known !== undefined) await this.#forget(name, known);
    await this.#heads.remove(name);
  }

  async #forget(name: string, open: OpenStream): Promise<void> {
    open.isGone = true;
    if (this.#streams.get(name) === open) this.#streams.delete(name);
    await open.stream.close(goneError(name));
  }

  #assertOpen(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const refusal = new LogError(
      'Closed',
      'Cannot use the log: found it closed, expected an open one',
    );
    const open = [...this.#streams.values()];
    const closing = open.map(({ stream }) => stream.close(refusal));
    this.#refusal = refusal;
    await Promise.all(closing);
    await this.#parts.link.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
