/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The user that a ServiceAccount is to the API. */
export function userOf({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The groups that it is in. */
export function groupsOf({ namespace }: Account): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
}
