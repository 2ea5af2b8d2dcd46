/** Label of a child that its primary cannot refer to: the primary's uid. */
export const ownerUidLabel = 'fnlet.dev/owner-uid';

/** Annotation beside it: `group/Kind/namespace/name` of the primary. */
export const ownerAnnotation = 'fnlet.dev/owner';

/**
 * Annotation of a child that waits for others: how many steps come before it. So it is known when
 * it goes, too, that it goes first.
 */
export const orderAnnotation = 'fnlet.dev/order';

/** What a cache of children must keep of their metadata, besides what every object keeps. */
export const childPaths: readonly string[] = [ownerAnnotation, orderAnnotation].map(
  (name) => `metadata.annotations['${name}']`,
);
