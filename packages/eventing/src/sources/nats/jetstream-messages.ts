/**
 * Messages of a stream of JetStream, as one of its durable consumers.
 *
 * I1. A message is acknowledged when its event is durable, and not before.
 * I2. What is sent again has the same id, by which the log knows it.
 * I3. A stream that was not there before is read from its beginning; one whose consumer is gone,
 *     from where that was.
 */
import type { NatsSource } from '@fnlet/api';
import { BoundedChannel, errorMessage, sleep } from '@fnlet/base';
import type {
  Consumer,
  ConsumerConfig,
  ConsumerInfo,
  JetStreamManager,
  JsMsg,
} from '@nats-io/jetstream';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { keepMissing } from '../missing-place.ts';
import type { Source, SourceContext } from '../source.ts';
import { SourceError } from '../source-error.ts';
import { triggerUri } from '../trigger-uri.ts';
import { JetStreamPlace, type StreamStart } from './jetstream-place.ts';
import { natsLimits } from './limits.ts';
import { natsEvent } from './nats-event.ts';
import { NatsLink } from './nats-link.ts';

type JetStreamModule = typeof import('@nats-io/jetstream');

/** A stream and how it is read. */
export interface JetStreamReading {
  readonly spec: NatsSource;
  readonly stream: string;
}

/** Where messages come from. */
interface Opened {
  readonly consumer: Consumer;
  readonly place: JetStreamPlace;
  readonly link: NatsLink;
}

export class JetStreamMessages implements Source {
  readonly #reading: JetStreamReading;
  readonly #context: SourceContext;

  constructor(reading: JetStreamReading, context: SourceContext) {
    this.#reading = reading;
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    const library = await import('@nats-io/jetstream');
    await using link = await NatsLink.open(this.#reading.spec, this.#context);
    const opened = { ...(await this.#open(library, link)), link };
    link.begun();
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const watching = this.#watchLag(opened, either);
    try {
      await this.#take(opened, signal);
    } finally {
      ended.abort();
      await watching;
    }
  }

  async #take({ consumer, place, link }: Opened, signal: AbortSignal): Promise<void> {
    const waiting = new BoundedChannel<JsMsg>(natsLimits.waitingMax);
    const messages = await consumer.consume({
      max_messages: natsLimits.unacknowledgedMax,
      abort_on_missing_resource: true,
      // One that finds no room comes again, since nobody acknowledges it.
      callback: (message) => void waiting.push(message),
    });
    const stop = (): void => {
      messages.stop();
      waiting.close();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const fail = (error: unknown): void => waiting.fail(error);
    messages.closed().then((error) => {
      // With its connection it ends without a reason; the connection knows it, a moment later.
      if (!error && link.connection.isClosed()) return;
      const why = error ? `: ${error.message}` : '';
      fail(new SourceError('Unreachable', `${this.#name} has ended${why}`));
    }, fail);
    link.ended().catch(fail);
    try {
      for await (const batch of waiting.batches()) {
        await this.#context.accept(batch.map((message) => this.#event(message, place.mark)));
        for (const message of batch) message.ack();
        const lag = batch.at(-1)?.info.pending;
        if (lag !== undefined) link.report({ lag });
      }
    } finally {
      signal.removeEventListener('abort', stop);
      messages.stop();
    }
  }

  /** @throws SourceError when there is no such stream, or its consumer is another one */
  async #open(library: JetStreamModule, link: NatsLink): Promise<Omit<Opened, 'link'>> {
    const { spec, stream } = this.#reading;
    try {
      const manager = await library.jetstreamManager(link.connection);
      const { created } = await manager.streams.info(stream);
      const found = { stream, createdMs: Date.parse(created), from: spec.from };
      const place = await JetStreamPlace.open(found, this.#context);
      const info =
        spec.consumer === undefined
          ? await this.#ensure(manager, library, place.start)
          : await manager.consumers.info(stream, spec.consumer);
      assertReadable(info, this.#name);
      await place.pass(info.ack_floor.stream_seq);
      const consumer = await library.jetstream(link.connection).consumers.get(stream, info.name);
      return { consumer, place };
    } catch (cause) {
      if (cause instanceof SourceError) throw cause;
      if (isMissing(cause, library, 'StreamNotFound')) {
        await keepMissing(this.#context.checkpoint, stream);
      }
      const trouble = errorMessage(cause);
      throw new SourceError('Unreachable', `Cannot read ${this.#name}: ${trouble}`, { cause });
    }
  }

  async #ensure(
    manager: JetStreamManager,
    library: JetStreamModule,
    start: StreamStart,
  ): Promise<ConsumerInfo> {
    const { spec, stream } = this.#reading;
    const name = `fnlet-${this.#context.uid}`;
    const found = await manager.consumers.info(stream, name).catch((error: unknown) => {
      if (isMissing(error, library, 'ConsumerNotFound')) return undefined;
      throw error;
    });
    const filter_subject = spec.subject ?? '';
    if (found === undefined) {
      return await manager.consumers.add(stream, {
        durable_name: name,
        ack_policy: library.AckPolicy.Explicit,
        ...startOf(start, library),
        max_ack_pending: natsLimits.unacknowledgedMax,
        ...(filter_subject === '' ? {} : { filter_subject }),
      });
    }
    if ((found.config.filter_subject ?? '') === filter_subject) return found;
    return await manager.consumers.update(stream, name, { filter_subject });
  }

  async #watchLag({ consumer, place, link }: Opened, signal: AbortSignal): Promise<void> {
    do {
      // Without an answer the last one stays.
      const info = await consumer.info().catch(() => undefined);
      if (info === undefined) continue;
      link.report({ lag: info.num_pending });
      await place.pass(info.ack_floor.stream_seq);
    } while (await sleep(this.#context.clock, natsLimits.lagMs, signal));
  }

  #event(message: JsMsg, mark: string): CloudEvent {
    const { subject, data, headers, info, seq } = message;
    const { stream } = this.#reading;
    const source = triggerUri(this.#context);
    const fields = [...(headers ?? [])].map(([name, values]) => [name, values.join(', ')] as const);
    const time = new Date(info.timestampNanos / 1e6).toISOString();
    const id = `${stream}.${seq}${mark}`;
    return natsEvent({ message: { subject, data, headers: fields }, source, id, time });
  }

  get #name(): string {
    const { spec, stream } = this.#reading;
    return spec.consumer === undefined
      ? `stream "${stream}"`
      : `consumer "${spec.consumer}" of stream "${stream}"`;
  }
}

/** I3 */
function startOf(
  start: StreamStart,
  { DeliverPolicy }: JetStreamModule,
): Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq'> {
  if (start === 'all') return { deliver_policy: DeliverPolicy.All };
  if (start === 'new') return { deliver_policy: DeliverPolicy.New };
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start.sequence };
}

function isMissing(
  error: unknown,
  { JetStreamApiCodes, JetStreamApiError }: JetStreamModule,
  code: 'ConsumerNotFound' | 'StreamNotFound',
): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes[code];
}

function assertReadable({ config }: ConsumerInfo, name: string): void {
  const isPulled = config.deliver_subject === undefined;
  if (isPulled && config.ack_policy === 'explicit') return;
  const found = isPulled ? `acknowledgement ${config.ack_policy}` : 'a push consumer';
  throw new SourceError(
    'Unreachable',
    `Cannot read ${name}: found ${found}, expected a pull consumer with explicit acknowledgement`,
  );
}
