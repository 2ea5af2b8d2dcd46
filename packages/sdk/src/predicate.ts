/**
 * Which changes of an object are worth a run, as data: it is written in an Operator's manifest,
 * sent and stored as it stands, and judged outside user code, so that a change that does not matter
 * wakes nobody.
 *
 * A word judges updates only; whatever appears or goes passes. An expression in CEL that does not
 * look at `oldObject` selects objects, and so judges those as well. Some changes pass whatever the
 * predicate says: a mark for deletion, a finalizer, the pause annotation, another object of the
 * same name, and an object that leaves the selection.
 */
export type Predicate =
  | PredicateWord
  /** An expression over `object` and, of an update, `oldObject`. */
  | { readonly cel: string }
  /** True when all are; an empty list is true. */
  | { readonly and: readonly Predicate[] }
  /** True when one is; an empty list is false. */
  | { readonly or: readonly Predicate[] }
  | { readonly not: Predicate };

/** The changes that have a name. */
export type PredicateWord =
  | 'generationChanged'
  | 'labelsChanged'
  | 'annotationsChanged'
  | 'resourceVersionChanged';

/**
 * The spec changed. Status, labels and, of most kinds, annotations do not count. An object that has
 * no generation (ConfigMap, Secret, …) passes every update.
 */
export const generationChanged: PredicateWord = 'generationChanged';

/** A label was added, changed or removed. */
export const labelsChanged: PredicateWord = 'labelsChanged';

/** An annotation was added, changed or removed. */
export const annotationsChanged: PredicateWord = 'annotationsChanged';

/** Anything changed: false only of an update that repeats what is known. */
export const resourceVersionChanged: PredicateWord = 'resourceVersionChanged';

/**
 * An expression in CEL, as a text or as a template.
 *
 * @example
 * cel('object.spec.replicas != oldObject.spec.replicas')
 * cel`object.metadata.labels["tier"] == ${JSON.stringify(tier)}`
 */
export function cel(
  expression: string | TemplateStringsArray,
  ...values: readonly (string | number | boolean)[]
): Predicate {
  if (typeof expression === 'string') return { cel: expression };
  return { cel: String.raw(expression, ...values) };
}

/** True when all of them are. */
export function and(...predicates: readonly Predicate[]): Predicate {
  return { and: predicates };
}

/** True when one of them is. */
export function or(...predicates: readonly Predicate[]): Predicate {
  return { or: predicates };
}

/** True when the other is false. What is not judged, such as a creation by a word, stays so. */
export function not(predicate: Predicate): Predicate {
  return { not: predicate };
}
