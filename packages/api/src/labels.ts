/**
 * Names of the labels and annotations that Fnlet writes. The whole prefix `fnlet.dev/` is
 * reserved: users may read and select by them, but not set them.
 */
export const labelPrefix = 'fnlet.dev/';

/** Name of the Function that a Revision, Pod or Service belongs to. */
export const functionLabel = 'fnlet.dev/function';

/** Name of the Revision that a Pod runs. */
export const revisionLabel = 'fnlet.dev/revision';

/** Whose object this is; the value is {@link managedBy}. */
export const managedByLabel = 'app.kubernetes.io/managed-by';

/** Value of {@link managedByLabel} on everything that Fnlet creates. */
export const managedBy = 'fnlet';

/**
 * Annotation of a Function: asks for a look at its source now. Each new value is one request;
 * `status.source.syncedFor` has the last one that was answered.
 */
export const syncAnnotation = 'fnlet.dev/sync';

/**
 * Annotation of a Function: until when (RFC 3339) `spec.development` counts. Whoever works on its
 * code puts it off, so that it ends with them, however that is. Without it there is no end.
 */
export const developmentUntilAnnotation = 'fnlet.dev/development-until';
