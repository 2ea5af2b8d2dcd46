export { createEventing, type Eventing, type EventingOptions } from './eventing.ts';
