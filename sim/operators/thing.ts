import type { Clock } from '@fnlet/base';
import {
  type Answer,
  ConfigMap,
  defineKind,
  field,
  type ObjectOf,
  type OwnKind,
  ready,
  type WantedChild,
} from '@fnlet/sdk/operator';

/** What every kind of the simulated world asks for. */
export interface ThingSpec {
  /** Comes back in the children and in the status. */
  readonly text: string;
  /** How many children there are beside the first. */
  readonly count: number;
}

export type ThingKind = OwnKind<ThingSpec, Partial<ThingSpec>>;

export type Thing = ObjectOf<ThingKind>;

export const group = 'sim.example.dev';

/** A kind of primaries. All are asked for the same, so that histories can be made for any of them. */
export function defineThing(
  kind: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): ThingKind {
  return defineKind({
    group,
    version: 'v1',
    kind,
    scope,
    description: `A ${kind} of the simulated world.`,
    spec: {
      text: field.text('What its children say.'),
      count: field.integer('How many more children it has.', { default: 0, minimum: 0 }),
    },
    status: {
      text: field.text('What its children were made to say.'),
      count: field.integer('How many more it was made to have.'),
    },
  });
}

/** What may go wrong inside of an operator's functions. */
export interface Fate {
  readonly clock: Clock;
  /** Whether something goes wrong now, which happens in this share of the cases. */
  strikes(share: number): boolean;
  readonly outside: Outside;
}

/**
 * What operators do outside of the cluster, by the uid of whom it is for. A function that an old
 * cache shows an object that is gone may make something once more, so who has cleaned up counts.
 */
export interface Outside {
  readonly made: Set<string>;
  readonly undone: Set<string>;
}

/** How the first child of an object is called; more have a number behind it. */
export function childName({ kind }: Pick<ThingKind, 'kind'>, name: string): string {
  return `${kind.toLowerCase()}-${name}`;
}

/** As many ConfigMaps as the object asks for; without a namespace, where the object is. */
export function wantedConfigMaps(
  kind: ThingKind,
  object: Thing,
  namespace?: string,
): WantedChild[] {
  const { text, count } = object.spec;
  const first = childName(kind, object.metadata.name);
  const names = [first, ...Array.from({ length: count }, (_, i) => `${first}-${i}`)];
  const place = namespace === undefined ? {} : { namespace };
  return names.map((name) => ConfigMap.of({ metadata: { ...place, name }, data: { text } }));
}

/** An answer that says of the object what is true of it once these children are there. */
export function answerWith(
  { spec }: Thing,
  children: NonNullable<Answer['children']>,
): Answer<Partial<ThingSpec>> {
  const { text, count } = spec;
  return { children, status: { text, count }, conditions: [ready()] };
}
