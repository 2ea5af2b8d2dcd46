export { Brokers, type BrokersOptions } from './broker/brokers.ts';
