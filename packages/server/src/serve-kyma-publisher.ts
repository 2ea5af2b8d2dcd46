import type { BrokerWays } from '@fnlet/eventing';
import type { Gateway, Responder } from '@fnlet/gateway';
import { kymaEventBytesMax } from './limits.ts';

/** Where Functions of Kyma publish; a Function of this name and namespace goes before it. */
const kymaPublisher = { namespace: 'kyma-system', name: 'eventing-publisher-proxy' };

/** There from the start: what nobody has subscribed to may be published, too. */
export function serveKymaPublisher(
  gateway: Pick<Gateway, 'setService'>,
  brokers: Pick<BrokerWays, 'acceptEverywhere'>,
): void {
  let loaded: Promise<Responder> | undefined;
  const load = async (): Promise<Responder> => {
    const { createKymaPublisher } = await import('@fnlet/eventing/brokers');
    return createKymaPublisher(brokers);
  };
  gateway.setService(kymaPublisher, {
    bodyBytesMax: kymaEventBytesMax,
    async respond(request, signal) {
      loaded ??= load();
      return (await loaded).respond(request, signal);
    },
  });
}
