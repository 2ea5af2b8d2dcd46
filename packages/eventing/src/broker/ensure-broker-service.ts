import type { BrokerObject } from '@fnlet/api';
import { errorMessage, hasCode } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import { type BrokerService, isBrokersOwn, planBrokerService } from './plan-broker-service.ts';

/**
 * Makes the Service of a Broker if there is none of its name, and leads it where it should. One of
 * somebody else stays as it is. What is returned is in its way, if anything.
 */
export async function ensureBrokerService(
  broker: BrokerObject,
  services: Pick<ResourceClient<KubeObject & BrokerService>, 'tryGet' | 'create' | 'apply'>,
  { gatewayHost, signal }: { readonly gatewayHost: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const wanted = planBrokerService(broker, gatewayHost);
  const { name } = wanted.metadata;
  try {
    const found = await services.tryGet(objectKey(wanted), { signal });
    if (found === undefined) {
      await services.create(wanted, { signal });
      return undefined;
    }
    if (!isBrokersOwn(found, broker)) return taken(name);
    // Fnlet was installed elsewhere when it was made.
    const isAsWanted = found.spec.externalName === gatewayHost;
    if (!isAsWanted) await services.apply(wanted, { force: true, signal });
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    // Somebody was faster.
    if (hasCode(error, 'AlreadyExists')) return taken(name);
    return `Service "${name}" cannot be made: ${errorMessage(error)}`;
  }
}

function taken(name: string): string {
  return (
    `Service "${name}" exists and is not this Broker's: it is left as it is, and senders who ` +
    'look the name up are led there'
  );
}
