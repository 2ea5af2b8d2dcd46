import type { TriggerObject } from '@fnlet/api';
import type { Cache } from '@fnlet/client';
import type { BrokerWays } from '../broker/broker-ways.ts';
import type { OperatorWays } from '../delivery/operator-ways.ts';
import type { TargetFunction } from '../http/http-triggers.ts';
import type { TriggerObstacle } from './plan-event-status.ts';

/** Why nothing can be delivered to the target of a Trigger, if anything. */
export function findObstacle(
  { metadata, spec }: TriggerObject,
  {
    functions,
    brokers,
    operators,
  }: {
    readonly functions: Pick<Cache<TargetFunction>, 'get'>;
    readonly brokers: Pick<BrokerWays, 'find'>;
    readonly operators: Pick<OperatorWays, 'has'>;
  },
): TriggerObstacle | undefined {
  const { namespace = '' } = metadata;
  const { function: name, tag, broker, operator } = spec.target;
  const named = [spec.source.broker?.name, broker].filter((each) => each !== undefined);
  const missing = named.find((each) => brokers.find({ namespace, name: each }) === undefined);
  if (missing !== undefined) {
    const message = `Broker "${missing}" does not exist: create it; until then events wait`;
    return { reason: 'brokerNotFound', message };
  }
  if (operator !== undefined && !operators.has({ namespace, name: operator })) {
    const message = `Operator "${operator}" does not exist: create it; until then events wait`;
    return { reason: 'operatorNotFound', message };
  }
  if (name === undefined) return undefined;
  const found = functions.get({ namespace, name });
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
    const message = `Function "${name}" does not exist: create it; until then events wait`;
    return { reason: 'functionNotFound', message };
  }
  const tags = (found.spec?.traffic ?? []).map((each) => each.tag);
  if (tag === undefined || tags.includes(tag)) return undefined;
  const message = `Function "${name}" has no tag "${tag}": add it to its spec.traffic; events wait`;
  return { reason: 'tagNotFound', message };
}
