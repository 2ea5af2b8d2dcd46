/** Events that concern objects of an Operator: these are run, and many events are one run. */
import { errorMessage, hasCode } from '@fnlet/base';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { EventKeys } from './event-keys.ts';
import type { DeliveryAnswer, EventTarget } from './event-target.ts';
import type { OperatorWays } from './operator-ways.ts';

export interface OperatorTargetOptions {
  /** The Operator object. */
  readonly operator: ObjectKey;
  /** Whom an event concerns. */
  readonly keysOf: EventKeys;
  /** The Trigger, `namespace/name`: the cause of a run names it. */
  readonly trigger: string;
  readonly wake: OperatorWays['wake'];
}

/**
 * Delivered is what the hub will not forget any more, not what has run: a run that fails is tried
 * again by the Operator's own rules. An event about an object that is not there has nothing to run:
 * when it comes, that is a run by itself.
 */
export function createOperatorTarget(options: OperatorTargetOptions): EventTarget {
  return {
    async deliver({ events }): Promise<DeliveryAnswer> {
      try {
        for (const event of events) {
          const { type, id } = event.attributes;
          const by = `Trigger ${options.trigger} (${type} ${id})`;
          for (const key of options.keysOf(event)) {
            const outcome = await options.wake(options.operator, key, by);
            if (outcome === 'notRunning') return unavailable(options.operator, notRunning);
            if (outcome === 'elsewhere') return unavailable(options.operator, elsewhere);
          }
        }
        return answer(202);
      } catch (error) {
        const isRefused = hasCode(error, 'InvalidMapping') || hasCode(error, 'InvalidEvent');
        return answer(isRefused ? 422 : 500, errorMessage(error));
      }
    },
  };
}

const notRunning = 'it does not run: its status says why';
const elsewhere = 'another replica runs the object';

function unavailable(operator: ObjectKey, found: string): DeliveryAnswer {
  return answer(503, `Cannot wake Operator "${formatObjectKey(operator)}": ${found}`);
}

function answer(status: number, trouble?: string): DeliveryAnswer {
  const told = trouble === undefined ? {} : { trouble };
  return { status, headers: {}, body: new Uint8Array(), ...told };
}
