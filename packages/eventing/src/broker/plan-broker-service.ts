import { type BrokerObject, managedBy, managedByLabel } from '@fnlet/api';
import { type KubeObject, objectKey, type ResourceType } from '@fnlet/machinery';
import { brokerService } from './plan-broker-status.ts';

export const serviceType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

/** core/v1 Service, as far as a Broker has one. */
export interface BrokerService extends KubeObject {
  readonly spec: {
    readonly type: 'ExternalName';
    readonly externalName: string;
    readonly ports: readonly {
      readonly name: string;
      readonly port: number;
      readonly protocol: 'TCP';
    }[];
  };
}

/**
 * The Service by whose name a Broker is reached: another name of the Gateway, which knows by the
 * host that is asked which Broker is meant. It goes with its Broker.
 */
export function planBrokerService(broker: BrokerObject, gatewayHost: string): BrokerService {
  const { apiVersion, kind, metadata } = broker;
  const { namespace, name } = brokerService(objectKey(broker));
  const { name: owner, uid = '' } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [managedByLabel]: managedBy },
      ownerReferences: [
        { apiVersion, kind, name: owner, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: {
      type: 'ExternalName',
      externalName: gatewayHost,
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  };
}

/** Whether a Service of this name is the Broker's, and not somebody else's. */
export function isBrokersOwn(service: KubeObject, broker: BrokerObject): boolean {
  const owners = service.metadata.ownerReferences ?? [];
  return owners.some(({ uid, controller }) => {
    return controller === true && uid === broker.metadata.uid;
  });
}
