import type { TriggerObject } from '@fnlet/api';
import type { Clock } from '@fnlet/base';
import type { EventEndpoints } from '../sources/http/event-endpoints.ts';
import { SharedTimer } from '../sources/shared-timer.ts';
import type { Source, SourceContext } from '../sources/source.ts';
import { SourceError } from '../sources/source-error.ts';

/** Makes the source of a Trigger. */
export type SourceOpener = (trigger: TriggerObject, context: SourceContext) => Promise<Source>;

/** What makes sources; the code of each kind is loaded with the first Trigger that has it. */
export function createSourceOpener({
  clock,
  endpoints,
}: {
  readonly clock: Clock;
  /** Where requests come in that are events. */
  readonly endpoints: EventEndpoints;
}): SourceOpener {
  const timer = new SharedTimer(clock);
  return async (trigger, context) => {
    const { cron, http, nats } = trigger.spec.source;
    if (cron !== undefined) {
      const { createCronTimes } = await import('../sources/cron/cron-times.ts');
      return createCronTimes({ spec: cron, context, timer });
    }
    if (nats !== undefined) {
      const { createNatsSource } = await import('../sources/nats/nats-source.ts');
      return createNatsSource(nats, context);
    }
    if (http?.events !== undefined) {
      const { HttpEventSource } = await import('../sources/http/http-event-source.ts');
      return new HttpEventSource({ spec: http.events, context, endpoints });
    }
    const [kind = 'none'] = Object.keys(trigger.spec.source);
    throw new SourceError('InvalidSource', `Cannot use source "${kind}": it brings no events`);
  };
}
