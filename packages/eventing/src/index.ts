export type { BrokerWays } from './broker/broker-ways.ts';
export type { OperatorWays, WakeOutcome } from './delivery/operator-ways.ts';
export type { EventPort } from './delivery/url-target.ts';
export { createEventing, type Eventing, type EventingOptions } from './eventing.ts';
export type { GatewayUrls } from './http/plan-trigger-status.ts';
export type { LettersQuery, LetterView, TriggerLetters } from './triggers/trigger-letters.ts';
