/** The API group of all of Fnlet's kinds. */
export const apiGroup = 'fnlet.dev';

/** The one version that is served and stored. */
export const apiVersionName = 'v1alpha1';

/** `apiVersion` of Fnlet's objects. */
export const apiVersion = 'fnlet.dev/v1alpha1';
