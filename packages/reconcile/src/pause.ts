import type { KubeObject } from '@fnlet/machinery';

/** Set to `"true"`, it keeps every controller of this room from running for the object. */
export const pausedAnnotation = 'fnlet.dev/paused';

/** Whether somebody asked that the object be left alone for now, deletion included. */
export function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[pausedAnnotation] === 'true';
}
