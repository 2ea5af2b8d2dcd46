export { type RequiredAccessOptions, requiredAccess } from './access/required-access.ts';
export { createHub, type Hub, type WakeOutcome } from './hub.ts';
export type { HubOptions } from './hub-options.ts';
