import type { ObjectMeta, ObjectShape, Wanted } from './object.ts';

/** How objects of a kind are named and addressed. */
export interface KindFacts {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The name in URLs: lower-case, plural. */
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

/** A kind of object, whose objects look like `T`. */
export interface Kind<T extends ObjectShape = ObjectShape> extends KindFacts {
  /** `group/version`, or `version` for the core group. */
  readonly apiVersion: string;
  /** What is wanted of an object of this kind: fills in apiVersion and kind. */
  of(wanted: Omit<Wanted<T>, 'apiVersion' | 'kind'>): Wanted<T>;
  /**
   * The kind with only these fields of each object, such as `keep('spec.replicas')`: what a watch
   * holds in memory, and what a reconcile gets to see. Metadata that names and orders an object is
   * always there.
   */
  keep(...paths: readonly string[]): View<T>;
  /** Only the objects with these labels, such as `app=web,tier in (a, b)`. */
  select(labels: string): View<T>;
  /**
   * The objects that are to be reconciled when one of these changes, in its old or new form: by a
   * function, or as CEL over `object`, such as `object.metadata.labels.site`, which a hub evaluates
   * itself, without waking anybody. Its value is a name, a `{"name": …, "namespace": …}`, a list of
   * such, or null; an object for which it has none concerns nobody.
   */
  mapTo(map: MapToKeys<T> | string): Watch<T>;
  /** Never there: it carries the type. */
  readonly object?: T;
}

/** The objects of a kind as far as somebody is interested in them. */
export interface View<T extends ObjectShape = ObjectShape> {
  readonly kind: Kind<T>;
  /** Paths of fields; `undefined`: everything but managedFields. */
  readonly fields: readonly string[] | undefined;
  /** A label selector; `undefined`: all. */
  readonly labels: string | undefined;
  keep(...paths: readonly string[]): View<T>;
  select(labels: string): View<T>;
  mapTo(map: MapToKeys<T> | string): Watch<T>;
}

/** Which object is meant; without a namespace, one in the namespace of the object that changed. */
export interface KeyReference {
  readonly name: string;
  readonly namespace?: string;
}

/** Names the objects that are concerned by one of another kind. */
export type MapToKeys<T> = (object: T) => KeyReference | readonly KeyReference[] | undefined;

/** Objects whose changes concern others; whom, a function or an expression says. */
export interface Watch<T extends ObjectShape = ObjectShape> {
  readonly view: View<T>;
  /** CEL over `object`. */
  readonly expression?: string;
  /** Absent where there is an expression. */
  map?(object: T): ReturnType<MapToKeys<T>>;
}

/** The type of a kind's objects: `type WebSite = ObjectOf<typeof WebSite>`. */
export type ObjectOf<K> = K extends { readonly object?: infer T } ? NonNullable<T> : never;

/** An object of a kind of one's own. */
export interface CustomObject<Spec, Status> extends ObjectShape {
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

/**
 * A kind that others have defined; `T` is the caller's word for how its objects look. Kinds of
 * one's own are made with `defineKind`.
 *
 * @example
 * const Certificate = kind<CertificateObject>({
 *   group: 'cert-manager.io', version: 'v1', kind: 'Certificate',
 *   plural: 'certificates', scope: 'Namespaced',
 * });
 */
export function kind<T extends ObjectShape>(facts: KindFacts): Kind<T> {
  const { group, version } = facts;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const itself: Kind<T> = {
    group,
    version,
    kind: facts.kind,
    plural: facts.plural,
    scope: facts.scope,
    apiVersion,
    of: (wanted) => withType<T>({ apiVersion, kind: facts.kind, ...wanted }),
    keep: (...paths) => view(itself, paths, undefined),
    select: (labels) => view(itself, undefined, labels),
    mapTo: (map) => view(itself, undefined, undefined).mapTo(map),
  };
  return itself;
}

// The compiler cannot see that what `of` was given and what it adds are together a Wanted<T>.
function withType<T extends ObjectShape>(wanted: object): Wanted<T>;
function withType(wanted: object): object {
  return wanted;
}

function view<T extends ObjectShape>(
  of: Kind<T>,
  fields: readonly string[] | undefined,
  labels: string | undefined,
): View<T> {
  const itself: View<T> = {
    kind: of,
    fields,
    labels,
    keep: (...paths) => view(of, [...(fields ?? []), ...paths], labels),
    select: (more) => view(of, fields, labels === undefined ? more : `${labels},${more}`),
    mapTo: (map) =>
      typeof map === 'string' ? { view: itself, expression: map } : { view: itself, map },
  };
  return itself;
}

/** A view as it is, and a kind as the view of all that there is of its objects. */
export function viewOf<T extends ObjectShape>(of: Kind<T> | View<T>): View<T> {
  return 'plural' in of ? view(of, undefined, undefined) : of;
}
