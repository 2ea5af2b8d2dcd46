import type { AdmissionWebhook } from './admission.ts';
import type { Answer, DurationText } from './answer.ts';
import { type KeyReference, type Kind, type View, viewOf, type Watch } from './kind.ts';
import type { ObjectShape } from './object.ts';
import type { Predicate } from './predicate.ts';

/** Objects of one kind by name. */
export interface ObjectSet<T extends ObjectShape> extends Iterable<T> {
  readonly size: number;
  /** Without a namespace: in that of the object that is reconciled. */
  get(key: KeyReference | string): T | undefined;
}

/** What a reconcile gets to see. The same request gives the same answer. */
export interface ReconcileRequest<T extends ObjectShape> {
  readonly object: T;
  /** Children that are there, of a kind that the operator owns. */
  children<C extends ObjectShape>(kind: Kind<C>): ObjectSet<C>;
  /** Objects of a kind that the operator watches, or that an earlier answer required. */
  related<C extends ObjectShape>(kind: Kind<C>): ObjectSet<C>;
  /** 1 for the first try, 2 for the first retry, … */
  readonly attempt: number;
  /** The time of this run, RFC 3339: data, so that a run can be repeated. */
  readonly now: string;
  /** Aborts at the deadline and when the operator stops. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** The same for every try of one run: for what must not be done twice outside the cluster. */
  readonly idempotencyKey: string;
}

/** How soon a failed run is tried again. */
export interface BackoffWords {
  /** Delay after the first failure. Default 5ms; it doubles with every failure in a row. */
  readonly base?: DurationText;
  /** Default 1000s. */
  readonly cap?: DurationText;
  /** After so many failures in a row only a change runs it again. Default: no end. */
  readonly attempts?: number;
}

/** How the objects of one kind are made true. */
export interface OperatorOptions<T extends ObjectShape> {
  /** For logs, metrics, field ownership. Default: `<plural>.<group>`. */
  readonly name?: string;
  /**
   * Which changes of the object are worth a run. Default `generationChanged`. Creation, the mark
   * of deletion, and the pause annotation always are.
   */
  readonly when?: Predicate;
  /**
   * Fields of its objects that are kept in memory, such as `spec`; what names and orders an object
   * always is. What `when` compares must be among them. Default: everything but managedFields.
   */
  readonly keep?: readonly string[];
  /** Only objects with these labels, such as `tier=web`. */
  readonly select?: string;
  /** Default: all. */
  readonly namespaces?: readonly string[];
  /** Kinds of children: they are observed, applied and pruned. */
  readonly owns?: readonly (Kind | View)[];
  /**
   * Whether the objects are kept by a finalizer until all their children are deleted, also those
   * that no owner reference reaches: children in other namespaces, and of the whole cluster.
   * Default: where there is a `cleanup`, or an owned kind of the whole cluster asks for it.
   */
  readonly finalizer?: boolean;
  /** Other objects whose changes concern objects of this kind. */
  readonly watches?: readonly Watch[];
  /** How many objects are reconciled at once. Default 1. */
  readonly concurrency?: number;
  /** How long one run may take. Default 10s. */
  readonly deadline?: DurationText;
  /** Every object is run again at the latest after so long, with 10 % of chance. Default 10h. */
  readonly resync?: DurationText;
  readonly backoff?: BackoffWords;
  /** Who is asked before objects are stored: `validating(…)` and `mutating(…)`. */
  readonly webhooks?: readonly AdmissionWebhook[];
  /** Says what is wanted, from what is there; safe to repeat. */
  reconcile(request: ReconcileRequest<T>): Answer<StatusOf<T>> | Promise<Answer<StatusOf<T>>>;
  /**
   * Takes back what was done outside the cluster, before the object goes; children with owner
   * references go by themselves. With it, a finalizer is kept on the objects.
   */
  cleanup?(request: ReconcileRequest<T>): Answer<StatusOf<T>> | Promise<Answer<StatusOf<T>>>;
}

/** Whether objects of the operator are kept by a finalizer. */
export function hasFinalizer({ for: of, owns = [], cleanup, finalizer }: Operator): boolean {
  const reachesAll =
    of.scope === 'Cluster' || owns.every((one) => viewOf(one).kind.scope !== 'Cluster');
  return finalizer ?? (cleanup !== undefined || !reachesAll);
}

/** The status of an object. */
export type StatusOf<T> = T extends { readonly status?: infer S }
  ? NonNullable<S>
  : Readonly<Record<string, unknown>>;

/** An operator as data and functions; it runs wherever somebody calls its functions. */
export interface Operator<T extends ObjectShape = ObjectShape> extends OperatorOptions<T> {
  readonly for: Kind<T>;
  readonly name: string;
}

/**
 * An operator: what is wanted of the world for every object of a kind. It runs unchanged in a
 * process of its own, behind a hub while it sleeps, and in the test kit.
 *
 * @example
 * export default operator(WebSite, {
 *   owns: [Deployment.keep('status.readyReplicas'), Service],
 *   reconcile({ object, children }) {
 *     const { name } = object.metadata;
 *     const web = children(Deployment).get(name);
 *     return {
 *       children: [deployment(object), service(object)],
 *       status: { url: `http://${name}` },
 *       conditions: [web?.status?.readyReplicas ? ready() : progressing('Starting')],
 *     };
 *   },
 * });
 */
export function operator<T extends ObjectShape>(
  of: Kind<T>,
  options: OperatorOptions<T>,
): Operator<T> {
  const name = options.name ?? (of.group === '' ? of.plural : `${of.plural}.${of.group}`);
  return { ...options, for: of, name };
}
