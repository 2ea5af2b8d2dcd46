import { type KindFacts, viewOf } from './kind.ts';
import { hasFinalizer, type Operator } from './operator.ts';

/** What an account may do (rbac.authorization.k8s.io). */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Only the objects of these names. Default: all. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What several rules allow, by group, resource and verb. */
type Grants = Map<string, Map<string, Set<string>>>;

type Resource = Pick<KindFacts, 'group' | 'plural'>;

const reading = ['get', 'list', 'watch'];

/**
 * What these operators need to be allowed, and no more: it follows from what they declare. Objects
 * that an answer requires besides are not declared, and have to be allowed by hand.
 */
export function requiredRules(operators: readonly Operator[]): PolicyRule[] {
  const grants: Grants = new Map();
  for (const each of operators) {
    grant(grants, each.for, reading);
    grant(grants, part(each.for, 'status'), ['patch']);
    // Whoever says that an owner's deletion waits for a child may change the owner's finalizers.
    grant(grants, part(each.for, 'finalizers'), ['update']);
    if (hasFinalizer(each)) grant(grants, each.for, ['patch']);
    for (const owned of each.owns ?? []) {
      // An apply of an object that is not there creates it.
      grant(grants, viewOf(owned).kind, [...reading, 'create', 'patch', 'delete']);
    }
    for (const { view } of each.watches ?? []) grant(grants, view.kind, reading);
  }
  if (operators.length > 0) {
    grant(grants, { group: '', plural: 'events' }, ['create', 'patch']);
  }
  return [...grants].flatMap(([group, resources]) => rulesOf(group, resources));
}

function grant(grants: Grants, resource: Resource, verbs: readonly string[]): void {
  const { group, plural } = resource;
  const resources = grants.get(group) ?? new Map<string, Set<string>>();
  grants.set(group, resources);
  resources.set(plural, new Set([...(resources.get(plural) ?? []), ...verbs]));
}

function part({ group, plural }: Resource, subresource: string): Resource {
  return { group, plural: `${plural}/${subresource}` };
}

// Resources with the same verbs share a rule, as people write them.
function rulesOf(group: string, resources: ReadonlyMap<string, ReadonlySet<string>>): PolicyRule[] {
  const byVerbs = Map.groupBy(resources, ([, verbs]) => [...verbs].join());
  return [...byVerbs].map(([verbs, members]) => ({
    apiGroups: [group],
    resources: members.map(([resource]) => resource),
    verbs: verbs.split(','),
  }));
}
