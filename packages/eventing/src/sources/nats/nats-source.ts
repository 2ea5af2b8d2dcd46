import type { NatsSource } from '@fnlet/api';
import type { Source, SourceContext } from '../source.ts';
import { JetStreamMessages } from './jetstream-messages.ts';
import { NatsMessages } from './nats-messages.ts';

/** Messages of a subject, or of a stream. */
export function createNatsSource(spec: NatsSource, context: SourceContext): Source {
  const { stream } = spec;
  return stream === undefined
    ? new NatsMessages(spec, context)
    : new JetStreamMessages({ spec, stream }, context);
}
