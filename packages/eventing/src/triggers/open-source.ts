import type { TriggerObject } from '@fnlet/api';
import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { EventPort } from '../delivery/url-target.ts';
import type { EventEndpoints } from '../sources/http/event-endpoints.ts';
import type { KindFeeds } from '../sources/kubernetes/kind-feeds.ts';
import { SharedTimer } from '../sources/shared-timer.ts';
import type { Source, SourceContext } from '../sources/source.ts';
import { SourceError } from '../sources/source-error.ts';

/** Makes the source of a Trigger. */
export type SourceOpener = (trigger: TriggerObject, context: SourceContext) => Promise<Source>;

/** What makes sources; the code of each kind is loaded with the first Trigger that has it. */
export function createSourceOpener(options: {
  readonly client: Client;
  /** Where requests come in that are events. */
  readonly endpoints: EventEndpoints;
  /** The way out to URLs. */
  readonly port: EventPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): SourceOpener {
  const { endpoints, port } = options;
  const timer = new SharedTimer(options.clock);
  let feeds: KindFeeds | undefined;
  return async (trigger, context) => {
    const { cron, custom, http, kubernetes, kafka, kinesis, nats } = trigger.spec.source;
    if (kubernetes !== undefined) {
      const module = await import('../sources/kubernetes/kubernetes-changes.ts');
      feeds ??= module.openKindFeeds(options);
      return module.createKubernetesChanges({ spec: kubernetes, context, feeds });
    }
    if (cron !== undefined) {
      const { createCronTimes } = await import('../sources/cron/cron-times.ts');
      return createCronTimes({ spec: cron, context, timer });
    }
    if (kafka !== undefined) {
      const { KafkaRecords } = await import('../sources/kafka/kafka-records.ts');
      return new KafkaRecords(kafka, context);
    }
    if (kinesis !== undefined) {
      const { KinesisRecords } = await import('../sources/kinesis/kinesis-records.ts');
      return new KinesisRecords({ spec: kinesis, context, port });
    }
    if (nats !== undefined) {
      const { createNatsSource } = await import('../sources/nats/nats-source.ts');
      return createNatsSource(nats, context);
    }
    if (custom !== undefined) {
      const { CustomEventSource } = await import('../sources/custom/custom-event-source.ts');
      return new CustomEventSource({ context, endpoints });
    }
    if (http?.events !== undefined) {
      const { HttpEventSource } = await import('../sources/http/http-event-source.ts');
      return new HttpEventSource({ spec: http.events, paths: http.paths, context, endpoints });
    }
    const [kind = 'none'] = Object.keys(trigger.spec.source);
    throw new SourceError('InvalidSource', `Cannot use source "${kind}": it brings no events`);
  };
}
