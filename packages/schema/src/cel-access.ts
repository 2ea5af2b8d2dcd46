/** What an expression asks about: may somebody do this? */
export type CelAccessCheck =
  | { readonly kind: 'path'; readonly path: string; readonly verb: string }
  | ({ readonly kind: 'resource'; readonly verb: string } & CelResourceCheck);

/** Something done to objects of a resource; empty texts are what was not said. */
export interface CelResourceCheck {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface CelAccessDecision {
  readonly allowed: boolean;
  /** Empty when there is nothing to say. */
  readonly reason: string;
}

/** Who decides about access, for the expressions that ask (Kubernetes' authz library). */
export interface CelAuthorizer {
  decide(check: CelAccessCheck): CelAccessDecision;
  /** The same, as a service account would be answered. */
  serviceAccount(namespace: string, name: string): CelAuthorizer;
}
