export { type RequiredAccessOptions, requiredAccess } from './access/required-access.ts';
export { createHub, type Hub, type HubOptions } from './hub.ts';
