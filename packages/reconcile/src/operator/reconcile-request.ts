import type { KubeObject } from '@fnlet/machinery';
import type {
  Kind,
  KindFacts,
  ObjectSet,
  ObjectShape,
  Operator,
  ReconcileRequest,
} from '@fnlet/sdk/operator';
import type { ReconcileContext } from '../key-run.ts';
import { ReconcileError } from '../reconcile-error.ts';
import type { DeclaredCaches } from './declared-caches.ts';
import { kindName } from './kind-type.ts';
import { fromAll, fromList, fromWholeCache, objectSet } from './object-set.ts';
import type { RequiredObjects } from './required-objects.ts';

/** What a request is made of. */
export interface Situation {
  readonly operator: Operator;
  readonly caches: DeclaredCaches;
  readonly primary: KubeObject;
  /** The children that are there. */
  readonly children: readonly KubeObject[];
  /** The time of this run, RFC 3339. */
  readonly now: string;
  readonly idempotencyKey: string;
  readonly context: Pick<ReconcileContext, 'attempt' | 'signal'>;
}

/** What a function of an operator gets to see. */
export function reconcileRequest(
  situation: Situation,
  required: RequiredObjects,
): ReconcileRequest<ObjectShape> {
  const { operator, caches, primary, children, context } = situation;
  const home = primary.metadata.namespace ?? '';
  return {
    object: primary,
    children<C extends ObjectShape>(kind: Kind<C>): ObjectSet<C> {
      const name = kindName(kind);
      if (!caches.owned.some((owned) => kindName(owned.kind) === name)) {
        throw undeclared(operator, kind, 'owns');
      }
      return objectSet(kind, fromList(children.filter((child) => child.kind === kind.kind)), home);
    },
    related<C extends ObjectShape>(kind: Kind<C>): ObjectSet<C> {
      const name = kindName(kind);
      const watched = caches.watched.filter(({ watch }) => kindName(watch.view.kind) === name);
      const asked = required.of(name);
      if (watched.length === 0 && asked === undefined) throw undeclared(operator, kind, 'watches');
      const supplies = watched.map(({ cache }) => fromWholeCache(cache));
      return objectSet(kind, fromAll(asked === undefined ? supplies : [asked, ...supplies]), home);
    },
    attempt: context.attempt,
    now: situation.now,
    signal: context.signal,
    idempotencyKey: situation.idempotencyKey,
  };
}

function undeclared(operator: Operator, kind: KindFacts, list: 'owns' | 'watches'): ReconcileError {
  return new ReconcileError(
    'UndeclaredKind',
    `Cannot look at ${kindName(kind)}: operator "${operator.name}" does not declare it`,
    { remedy: `Name it in "${list}" of the operator` },
  );
}
