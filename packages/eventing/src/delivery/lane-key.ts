import { sha256 } from '@fnlet/base';

/** The key of an event as its lane has it: a long one is known by its digest. */
export function laneKey(key: string, charactersMax: number): string {
  return key.length <= charactersMax ? key : `sha256:${sha256(key)}`;
}
