import { createCountEvaluator, parseCountName } from './count-evaluator.ts';
import { deviceClaimEvaluator } from './device-claim-evaluator.ts';
import type { Evaluator } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';
import { volumeClaimEvaluator } from './volume-claim-evaluator.ts';

/** A kind, as the store knows it. */
export interface StoredKind {
  readonly group: string;
  readonly plural: string;
}

/** Kinds of which quotas have names besides `count/`. */
const known: readonly (StoredKind & { readonly evaluator: Evaluator })[] = [
  { group: '', plural: 'pods', evaluator: podEvaluator },
  { group: '', plural: 'services', evaluator: serviceEvaluator },
  { group: '', plural: 'persistentvolumeclaims', evaluator: volumeClaimEvaluator },
  { group: 'resource.k8s.io', plural: 'resourceclaims', evaluator: deviceClaimEvaluator },
  ...['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'].map((plural) => ({
    ...{ group: '', plural, evaluator: createCountEvaluator('', plural) },
  })),
];

/** What knows how a kind is counted; `undefined` for Events, which no quota counts. */
export function evaluatorOf({ group, plural }: StoredKind): Evaluator | undefined {
  if (plural === 'events' && (group === '' || group === 'events.k8s.io')) return undefined;
  const found = known.find((one) => one.group === group && one.plural === plural);
  return found?.evaluator ?? createCountEvaluator(group, plural);
}

/** The kinds that use any of these resources, each once. */
export function kindsCounted(
  names: readonly string[],
): readonly (StoredKind & { readonly evaluator: Evaluator })[] {
  const found = known.filter(({ evaluator }) => names.some((name) => evaluator.counts(name)));
  const others = names.flatMap((name) => {
    const kind = parseCountName(name);
    const isKnown = known.some(({ evaluator }) => evaluator.counts(name));
    const evaluator = kind === undefined || isKnown ? undefined : evaluatorOf(kind);
    return kind === undefined || evaluator === undefined ? [] : [{ ...kind, evaluator }];
  });
  return [...found, ...others];
}
