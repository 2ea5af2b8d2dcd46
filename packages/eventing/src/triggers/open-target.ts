import type { ResolvedDelivery, TriggerSource, TriggerTarget } from '@fnlet/api';
import { assert, type Clock } from '@fnlet/base';
import type { Invoker } from '@fnlet/invocation';
import { createBrokerTarget } from '../broker/broker-target.ts';
import type { BrokerWays } from '../broker/broker-ways.ts';
import { compileEventKeys } from '../delivery/event-keys.ts';
import type { EventTarget } from '../delivery/event-target.ts';
import { createFunctionTarget } from '../delivery/function-target.ts';
import { kubelessOrigin } from '../delivery/kubeless-message.ts';
import { createOperatorTarget } from '../delivery/operator-target.ts';
import type { OperatorWays } from '../delivery/operator-ways.ts';
import { createUrlTarget, type EventPort } from '../delivery/url-target.ts';

export interface TargetPlace {
  readonly namespace: string;
  /** Name of the Trigger. */
  readonly trigger: string;
  /** Where the events come from. */
  readonly source: TriggerSource;
  readonly target: TriggerTarget;
  readonly policy: Pick<ResolvedDelivery, 'format' | 'timeoutMs' | 'batch'>;
}

/** Makes what is delivered to; nothing stands in the way of it. */
export type TargetOpener = (place: TargetPlace) => EventTarget;

export function createTargetOpener(ways: {
  readonly invoke: Invoker;
  /** The way out to URLs. */
  readonly port: EventPort;
  readonly brokers: Pick<BrokerWays, 'accept'>;
  readonly operators: Pick<OperatorWays, 'wake'>;
  readonly clock: Clock;
}): TargetOpener {
  return ({ namespace, trigger, source, target, policy }) => {
    const { function: name, tag, url, broker, operator, object } = target;
    const { format, timeoutMs, batch } = policy;
    const isKubeless = format === 'kubeless';
    const style = {
      format: isKubeless ? 'binary' : format,
      timeoutMs,
      isBatch: batch.size > 1,
    } as const;
    if (name !== undefined) {
      const { invoke } = ways;
      const kubeless = isKubeless ? kubelessOrigin(source) : undefined;
      return createFunctionTarget({ ...style, kubeless, namespace, function: name, tag, invoke });
    }
    if (broker !== undefined) {
      const key = { namespace, name: broker };
      return createBrokerTarget((events) => ways.brokers.accept(key, events));
    }
    if (operator !== undefined && object !== undefined) {
      return createOperatorTarget({
        ...{ operator: { namespace, name: operator }, trigger: `${namespace}/${trigger}` },
        keysOf: compileEventKeys(object, namespace),
        wake: (...asked) => ways.operators.wake(...asked),
      });
    }
    assert(url !== undefined, 'there is a target');
    return createUrlTarget({ ...style, ...ways, url });
  };
}
