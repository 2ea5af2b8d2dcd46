/**
 * Annotation of a function of Kyma or Kubeless: lets it sleep after so long without a call, such as
 * `60s`. Without it there are always as many Instances as it asks for, as in those systems.
 */
export const idleAfterAnnotation = 'fnlet.dev/idle-after';
