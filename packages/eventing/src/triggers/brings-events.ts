import type { TriggerSource } from '@fnlet/api';

/** Whether events come from a source, rather than requests that are handed on. */
export function bringsEvents({ http }: TriggerSource): boolean {
  return http === undefined || http.events !== undefined;
}
