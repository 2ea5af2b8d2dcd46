/** The type of Secrets that hold a token of a ServiceAccount. */
export const tokenSecretType = 'kubernetes.io/service-account-token';

/** The annotation of such a Secret that names the ServiceAccount. */
export const accountNameAnnotation = 'kubernetes.io/service-account.name';
