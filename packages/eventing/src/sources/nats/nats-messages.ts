/**
 * Messages of a subject of NATS. The server keeps none of them: what comes while nobody listens is
 * lost, and so is what comes faster than it can be kept, beyond a bound; the status tells of it.
 */
import type { NatsSource } from '@fnlet/api';
import { BoundedChannel } from '@fnlet/base';
import type { Msg } from '@nats-io/transport-node';
import type { CloudEvent } from '../../event/cloud-event.ts';
import type { Source, SourceContext } from '../source.ts';
import { triggerUri } from '../trigger-uri.ts';
import { natsLimits } from './limits.ts';
import { natsEvent } from './nats-event.ts';
import { NatsLink } from './nats-link.ts';

/** What can be the id of an event: of a bounded length, and without control characters. */
const possibleId = /^[^\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]{1,1024}$/u;

export class NatsMessages implements Source {
  readonly #spec: NatsSource;
  readonly #context: SourceContext;

  constructor(spec: NatsSource, context: SourceContext) {
    this.#spec = spec;
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { subject = '>', queueGroup } = this.#spec;
    const context = this.#context;
    await using link = await NatsLink.open(this.#spec, context);
    const waiting = new BoundedChannel<Msg>(natsLimits.waitingMax);
    let bytes = 0;
    let dropped = 0;
    const take = (error: Error | null, message: Msg): void => {
      if (error !== null) {
        waiting.fail(error);
        return;
      }
      const size = message.data.length;
      if (bytes + size > natsLimits.waitingBytesMax || !waiting.push(message)) dropped++;
      else bytes += size;
    };
    const queue = queueGroup ?? `fnlet-${context.uid}`;
    const subscription = link.connection.subscribe(subject, { queue, callback: take });
    const stop = (): void => {
      subscription.unsubscribe();
      waiting.close();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    link.ended().catch((error: unknown) => waiting.fail(error));
    try {
      // The server knows the subscription once it has answered what was sent behind it; when the
      // connection ends before, the link tells.
      await link.connection.flush().catch(() => {});
      link.begun();
      for await (const messages of waiting.batches()) {
        for (const { data } of messages) bytes -= data.length;
        await context.accept(messages.map((message) => this.#event(message)));
        if (dropped > 0) {
          link.report({ trouble: `${dropped} messages came faster than they could be kept` });
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #event({ subject, data, headers }: Msg): CloudEvent {
    const { clock, random } = this.#context;
    const source = triggerUri(this.#context);
    // The id that JetStream would know a message by, too.
    const given = headers?.get('Nats-Msg-Id') ?? '';
    const id = possibleId.test(given) ? given : random.uuid();
    const fields = [...(headers ?? [])].map(([name, values]) => [name, values.join(', ')] as const);
    // Nobody else says when it was sent.
    const time = new Date(clock.now()).toISOString();
    return natsEvent({ message: { subject, data, headers: fields }, source, id, time });
  }
}
