/**
 * Whether a change is worth a run, as data: it is judged where the change is seen, before any user
 * code wakes. It saves work, never memory: selectors and `keep` do that.
 *
 * It judges updates; that an object is new or gone counts, unless `cel` without `oldObject` says no:
 * that selects objects. Some changes count whatever it says: the mark of deletion, a finalizer, the
 * pause annotation, another object of the same name, and an object that leaves the selection.
 */
export type Predicate =
  | { readonly type: 'generation' | 'labels' | 'annotations' | 'resourceVersion' }
  | { readonly type: 'cel'; readonly expression: string }
  | { readonly type: 'and' | 'or'; readonly of: readonly Predicate[] }
  | { readonly type: 'not'; readonly of: Predicate };

/**
 * What the user asks for has changed: metadata.generation has. Objects that have no generation
 * (ConfigMap, Secret, …) pass with every update.
 */
export const generationChanged: Predicate = { type: 'generation' };

/** A label was added, changed or removed: that does not move the generation. */
export const labelsChanged: Predicate = { type: 'labels' };

/** An annotation was added, changed or removed: that mostly does not move the generation. */
export const annotationsChanged: Predicate = { type: 'annotations' };

/** Anything has changed; what a resync tells again has not. */
export const resourceVersionChanged: Predicate = { type: 'resourceVersion' };

/**
 * An expression in CEL over `object` and, of an update, `oldObject`, such as
 * ``cel`object.spec.paused != oldObject.spec.paused` ``. One that fails lets the change pass.
 */
export function cel(expression: string | TemplateStringsArray, ...values: unknown[]): Predicate {
  const text = typeof expression === 'string' ? expression : String.raw(expression, ...values);
  return { type: 'cel', expression: text };
}

/** All of them. */
export function and(...of: readonly Predicate[]): Predicate {
  return { type: 'and', of };
}

/** One of them at least. */
export function or(...of: readonly Predicate[]): Predicate {
  return { type: 'or', of };
}

/** The opposite, for updates. */
export function not(of: Predicate): Predicate {
  return { type: 'not', of };
}
