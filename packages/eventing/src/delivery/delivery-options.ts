import type { ResolvedDelivery } from '@fnlet/api';
import type { Clock, Logger, Random } from '@fnlet/base';
import type { LogConsumer, LogStream } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { EventWatch } from '../tail/event-watch.ts';
import type { BacklogParts } from './backlog.ts';
import type { DeliverySlots } from './delivery-slots.ts';
import type { DeliveryAnswer, EventTarget } from './event-target.ts';
import type { GivenUpEvent } from './given-up-event.ts';
import type { DeliveryLimits } from './limits.ts';

/** What is delivered from where to whom, and how. */
export interface DeliveryOptions {
  /** Whose events these are: the uid of a Trigger. */
  readonly owner: string;
  readonly stream: LogStream;
  readonly consumer: LogConsumer;
  readonly target: EventTarget;
  readonly policy: ResolvedDelivery;
  /** Events with the same key keep their order. Default: there is none. */
  readonly keyOf?: (event: CloudEvent) => string | undefined;
  /** Which events are delivered. Default: all. */
  readonly wants?: (event: CloudEvent) => boolean;
  /** Whether what is settled goes from the stream: it has no other consumers. */
  readonly removes: boolean;
  /** Resolves once the event is kept elsewhere. */
  readonly giveUp: (event: GivenUpEvent) => Promise<void>;
  /**
   * Called with what was delivered before that is settled, such as to keep the event in the answer.
   * When it throws, the delivery has failed and is tried again.
   */
  readonly onDelivered?: (answer: DeliveryAnswer, sequences: readonly number[]) => Promise<void>;
  /** What bounds requests and open events, together with those of others. Default: nothing. */
  readonly slots?: DeliverySlots;
  readonly openQuota?: BacklogParts['openQuota'];
  /** Told what became of events while anybody wants to know. Default: nobody does. */
  readonly watch?: EventWatch | undefined;
  /** Told how long each request took, milliseconds. */
  readonly onAnswered?: (durationMs: number) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits?: Partial<DeliveryLimits>;
}
