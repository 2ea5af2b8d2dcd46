import { developmentUntilAnnotation, type FunctionObject } from '@fnlet/api';

/** A Function as it counts now. */
export interface PlannedDevelopment {
  /** Without `spec.development` once that is over. */
  readonly owner: FunctionObject;
  /** Since when it is over, as the annotation has it. */
  readonly ended?: string;
  /** How long it counts still; `undefined`: until somebody says otherwise. */
  readonly leftMs?: number;
}

/**
 * Whether the code of a Function is being worked on. Who says so by the annotation says until when,
 * and puts that off while they work: `fnlet dev` may be killed, or lose its network. What is no time
 * is no end: the field alone counts for as long as it stands there.
 */
export function planDevelopment(owner: FunctionObject, now: number): PlannedDevelopment {
  const until = owner.metadata.annotations?.[developmentUntilAnnotation];
  const untilMs = until === undefined ? Number.NaN : Date.parse(until);
  if (owner.spec.development !== true || until === undefined || Number.isNaN(untilMs)) {
    return { owner };
  }
  if (now < untilMs) return { owner, leftMs: untilMs - now };
  const { development: _, ...spec } = owner.spec;
  return { owner: { ...owner, spec }, ended: until };
}
