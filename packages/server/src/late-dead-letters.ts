import type { ApiExtension } from '@fnlet/apiserver/extension';
import type { Clock } from '@fnlet/base';
import type { TriggerLetters } from '@fnlet/eventing';
import type { FindEndpoint } from './cloud-events-api.ts';
import type { EventLogAsked } from './event-log-api.ts';
import type { LateEventTail } from './late-event-tail.ts';

/**
 * Dead letters and events as the API shows them: those that are kept from before are there when
 * Triggers are, so who asks earlier waits for that.
 */
export class LateDeadLetters {
  readonly api: ApiExtension;
  readonly #started = Promise.withResolvers<void>();
  #find: (() => Promise<TriggerLetters | undefined>) | undefined;

  /**
   * @param ways.findEndpoint Default: events are sent to the URLs of Triggers, nowhere else.
   * @param ways.inspect Default: nobody looks at the log of events.
   */
  constructor(
    clock: Clock,
    events: LateEventTail,
    ways: {
      readonly findEndpoint?: FindEndpoint;
      readonly inspect?: EventLogAsked['inspect'];
    } = {},
  ) {
    const { findEndpoint, inspect } = ways;
    this.api = {
      group: 'events.fnlet.dev',
      answer: async (route, request) => {
        if (route.plural === 'eventlogs') {
          // Triggers may wait for the very log that somebody looks at.
          const { answerEventLog } = await import('./event-log-api.ts');
          return answerEventLog({ inspect, route, request });
        }
        await this.#started.promise;
        if (route.plural === 'cloudevents') {
          const { answerCloudEvents } = await import('./cloud-events-api.ts');
          return answerCloudEvents({ events, findEndpoint, route, request });
        }
        const { answerDeadLetters } = await import('./dead-letters-api.ts');
        return answerDeadLetters({ letters: await this.#find?.(), route, request, clock });
      },
    };
  }

  /** There are Triggers now. */
  begin(find: () => Promise<TriggerLetters | undefined>): void {
    this.#find = find;
  }

  /** Triggers that were there before have begun. */
  start(): void {
    this.#started.resolve();
  }
}
