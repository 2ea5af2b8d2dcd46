import { apiVersion, type TriggerSpec } from '@fnlet/api';
import type { ObjectMeta } from '@fnlet/machinery';
import { findTriggerMistakes, type PlannedTrigger } from './trigger-mistakes.ts';

/** What a trigger of Kubeless is in Fnlet. */
export type TriggerTranslation =
  | {
      readonly kind: 'translated';
      /** One for each function that it calls; none where it selects none. */
      readonly triggers: readonly PlannedTrigger[];
      /** What of it has no counterpart, or works otherwise here. */
      readonly notices: readonly string[];
    }
  /** There can be none: why not, for people. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** Where a Trigger belongs and what it is to do. */
export interface TriggerPlan {
  readonly name: string;
  readonly spec: TriggerSpec;
}

/** Triggers beside an object of Kubeless, or why the API would refuse them. */
export function translateToTriggers(
  { namespace }: Pick<ObjectMeta, 'namespace'>,
  plans: readonly TriggerPlan[],
  notices: readonly string[] = [],
): TriggerTranslation {
  const triggers = plans.map(({ name, spec }) => ({
    apiVersion,
    kind: 'Trigger',
    metadata: {
      ...{ name, ...(namespace === undefined ? {} : { namespace }) },
      labels: { 'created-by': 'kubeless' },
    },
    spec,
  }));
  const reasons = new Set(triggers.flatMap(findTriggerMistakes));
  if (reasons.size > 0) return { kind: 'refused', reasons: [...reasons] };
  return { kind: 'translated', triggers, notices };
}

/**
 * What its functions get, and how: as Kubeless calls them. Unlike there, what fails is tried again.
 */
export const kubelessDelivery: NonNullable<TriggerSpec['delivery']> = { format: 'kubeless' };
