export { type RequiredAccessOptions, requiredAccess } from './access/required-access.ts';
export { createHub, type Hub, type HubOptions, type WakeOutcome } from './hub.ts';
