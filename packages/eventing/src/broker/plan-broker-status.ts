import { type BrokerObject, brokerConditions, brokerReasons } from '@fnlet/api';
import type { ConditionUpdate, ObjectKey } from '@fnlet/machinery';
import { objectKey } from '@fnlet/machinery';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { BrokerStanding } from './broker-log.ts';

/** Why it takes no events. */
export interface BrokerTrouble {
  readonly message: string;
}

interface Named {
  /** Why no Service leads to it, if so. */
  readonly nameTrouble: string | undefined;
}

/** The Service that a Broker is reached by. */
export function brokerService({ namespace, name }: ObjectKey): ObjectKey {
  return { namespace, name: `${name}-broker` };
}

/** What the status of a Broker says. */
export function planBrokerStatus(
  broker: BrokerObject,
  found: (BrokerStanding & Named) | BrokerTrouble,
): StatusUpdate {
  const { namespace, name } = brokerService(objectKey(broker));
  const address = { url: `http://${name}.${namespace}.svc.cluster.local/` };
  if ('message' in found) {
    const { logUnavailable: reason } = brokerReasons;
    const ready = { type: brokerConditions.ready, status: 'False', reason, ...found } as const;
    return { fields: { address }, conditions: [ready] };
  }
  const { events, bytes } = found;
  const lost = (broker.status?.lost ?? 0) + found.lost;
  const ready: ConditionUpdate = {
    ...{ type: brokerConditions.ready, status: 'True', reason: brokerReasons.ready },
    message: 'It takes events',
  };
  const conditions = [ready, retention(lost), addressable(name, found)];
  return { fields: { address, events, bytes, lost }, conditions };
}

function addressable(name: string, { nameTrouble }: Named): ConditionUpdate {
  const type = brokerConditions.addressable;
  return nameTrouble === undefined
    ? {
        ...{ type, status: 'True', reason: brokerReasons.addressable },
        message: `Service "${name}" leads to it`,
      }
    : { type, status: 'False', reason: brokerReasons.noService, message: nameTrouble };
}

function retention(lost: number): ConditionUpdate {
  const type = brokerConditions.retained;
  if (lost === 0) {
    const message = 'It keeps all that its Triggers are not done with';
    return { type, status: 'True', reason: brokerReasons.retained, message };
  }
  const message =
    `${lost} events went before every Trigger was done with them: give spec.retention more room, ` +
    'or see which Trigger lags';
  return { type, status: 'False', reason: brokerReasons.boundsReached, message };
}
