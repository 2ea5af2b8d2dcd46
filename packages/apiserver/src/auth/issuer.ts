/** Who signs the tokens of ServiceAccounts, and whom they are for unless they say otherwise. */
export const tokenIssuer = 'https://kubernetes.default.svc.cluster.local';
