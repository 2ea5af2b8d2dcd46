export { Brokers, type BrokersOptions } from './broker/brokers.ts';
export { createKymaPublisher } from './broker/kyma-publisher.ts';
