import type { KindView, OperatorObject } from '@fnlet/api';
import { parseLabelSelector } from '@fnlet/machinery';
import { compileKeyMap } from '@fnlet/reconcile';
import { type Kind, type Operator, type View, viewOf, type Watch } from '@fnlet/sdk/operator';
import { HubError } from '../hub-error.ts';
import { kindId, type NamedKind, type ServedKind } from './kinds.ts';
import { predicateOf } from './predicate-of.ts';

/** All of an operator but its functions. */
export type DeclaredOperator = Omit<Operator, 'reconcile' | 'cleanup'>;

export interface DeclareOptions {
  /** What the API serves of the kinds that it names, by `kindId`. */
  readonly kinds: ReadonlyMap<string, ServedKind>;
  /** Whether objects of its own kind have room for a condition of the runtime's. */
  readonly hasConditions: boolean;
  /** Told of mapping expressions that cannot say whom an object concerns. */
  readonly onTrouble: (message: string) => void;
}

/**
 * The operator that an Operator object declares, in the words of the operator runtime.
 *
 * @throws FnletError for what cannot be meant; HubError `KindNotServed`
 */
export function declareOperator(
  { metadata, spec }: OperatorObject,
  { kinds, hasConditions, onTrouble }: DeclareOptions,
): DeclaredOperator {
  const found = (named: NamedKind): Kind => servedKind(kinds, named).kind;
  const own = found(spec.for);
  const { keep, select, namespaces, backoff, concurrency, deadline, resync } = spec;
  // The API would refuse a watch with another one, and nobody would hear of it.
  if (select !== undefined) parseLabelSelector(select);
  return {
    // By its definition the runtime knows that a kind has room for what it says itself.
    for: hasConditions ? { ...own, ...ownDefinition } : own,
    name: spec.fieldManager ?? metadata.name,
    when: predicateOf(spec.when),
    owns: (spec.owns ?? []).map((view) => viewIn(found(view), view)),
    watches: (spec.watches ?? []).map((watch): Watch => {
      const view = viewIn(found(watch), watch);
      const { map } = watch;
      return { view, map: map === undefined ? concernsNone : compileKeyMap(map, onTrouble) };
    }),
    ...{ concurrency, deadline, resync },
    ...(keep === undefined ? {} : { keep }),
    ...(select === undefined ? {} : { select }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(backoff === undefined ? {} : { backoff }),
  };
}

const ownDefinition = { crd: {} };

// Whom it concerns is asked of the function, which takes its time: see map-asker.ts.
const concernsNone = (): undefined => undefined;

function servedKind(kinds: ReadonlyMap<string, ServedKind>, named: NamedKind): ServedKind {
  const served = kinds.get(kindId(named));
  if (served !== undefined) return served;
  throw new HubError('KindNotServed', `Cannot find ${named.kind} of ${named.apiVersion}`);
}

function viewIn(of: Kind, { keep, selector }: KindView): View {
  if (selector !== undefined) parseLabelSelector(selector);
  const kept = keep === undefined ? viewOf(of) : of.keep(...keep);
  return selector === undefined ? kept : kept.select(selector);
}
