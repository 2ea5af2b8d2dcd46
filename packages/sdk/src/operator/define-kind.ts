import type { Condition } from './condition.ts';
import {
  type FieldRule,
  type Fields,
  field,
  type ObjectOfFields,
  objectSchema,
  type SchemaDocument,
} from './field.ts';
import { type CustomObject, type Kind, type KindFacts, kind } from './kind.ts';
import { type KindConversion, type OlderVersions, olderVersionManifest } from './older-version.ts';
import { pluralOf } from './plural.ts';

/** A column of `kubectl get`. */
export interface KindColumn {
  /** A JSON path, such as `.status.url`. */
  readonly path: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 0: always shown; more: with `-o wide`. */
  readonly priority?: number;
}

/** Everything about a kind of one's own: its objects, and how people meet them. */
export interface KindDefinition<
  S extends Fields,
  St extends Fields,
  O extends OlderFields = NoOlder,
> {
  readonly group: string;
  /** The newest version: what objects are kept in, and what operators see. */
  readonly version: string;
  /**
   * Versions that clients still use, by name. The API asks the operator to convert them, so it has
   * to run: `run` serves that, and tells the API where.
   */
  readonly olderVersions?: OlderVersions<O, ObjectOfFields<S>>;
  readonly kind: string;
  /** Default: the kind in lower case with an `s` (or `es`, `ies`). */
  readonly plural?: string;
  /** Default: Namespaced. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** The first words of `kubectl explain`. */
  readonly description: string;
  readonly spec: S;
  /** `conditions` and `observedGeneration` are added to it. */
  readonly status?: St;
  /** By header. Ready and Age are added to them. */
  readonly columns?: Readonly<Record<string, KindColumn | string>>;
  /** Rules about the whole object. */
  readonly rules?: readonly FieldRule[];
  /** What `kubectl scale` reads and writes, as JSON paths. */
  readonly scale?: { readonly spec: string; readonly status: string };
}

/** What the status of every kind of one's own holds. */
export interface OperatorStatus {
  /** The generation of the spec that the rest of the status is about. */
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** A kind of one's own, with the manifest that teaches it a cluster. */
export interface OwnKind<S, St> extends Kind<CustomObject<S, St & OperatorStatus>> {
  /**
   * The CustomResourceDefinition, ready to be applied; of a kind with older versions without the
   * place where it is converted, which whoever runs the operator knows.
   */
  readonly crd: DefinitionManifest;
  /** How its versions are converted; absent when it has only one. */
  readonly conversion?: KindConversion;
}

/** A CustomResourceDefinition (apiextensions.k8s.io/v1). */
export interface DefinitionManifest {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: SchemaDocument;
}

/**
 * A kind, defined once: its objects' type, defaults, validation, columns and the manifest for a
 * cluster follow from it.
 *
 * @example
 * export const WebSite = defineKind({
 *   group: 'example.dev', version: 'v1', kind: 'WebSite', shortNames: ['ws'],
 *   description: 'A WebSite is a page that some Pods serve.',
 *   spec: {
 *     html: field.text('The page.'),
 *     replicas: field.integer('How many Pods serve it.', { default: 1, minimum: 0 }),
 *   },
 *   status: { url: field.text('Where it is reached.') },
 *   columns: { URL: '.status.url' },
 * });
 * export type WebSite = ObjectOf<typeof WebSite>;
 */
export function defineKind<
  const S extends Fields,
  const St extends Fields = NoFields,
  const O extends OlderFields = NoOlder,
>(definition: KindDefinition<S, St, O>): OwnKind<ObjectOfFields<S>, Partial<ObjectOfFields<St>>> {
  const facts: KindFacts = {
    group: definition.group,
    version: definition.version,
    kind: definition.kind,
    plural: definition.plural ?? pluralOf(definition.kind),
    scope: definition.scope ?? 'Namespaced',
  };
  const own =
    kind<CustomObject<ObjectOfFields<S>, Partial<ObjectOfFields<St>> & OperatorStatus>>(facts);
  const { version: newest, olderVersions: versions } = definition;
  const conversion = versions === undefined ? {} : { conversion: { newest, versions } };
  return { ...own, ...conversion, crd: manifestOf(facts, definition) };
}

type NoFields = Readonly<Record<never, never>>;
type OlderFields = Readonly<Record<string, Fields>>;
type NoOlder = Readonly<Record<never, never>>;

/** What the manifest of a kind is made from. */
interface ManifestDefinition extends Omit<KindDefinition<Fields, Fields>, 'olderVersions'> {
  readonly olderVersions?: Readonly<
    Record<string, { readonly spec: Fields; readonly deprecation?: string }>
  >;
}

function manifestOf(
  { group, version, kind: name, plural, scope }: KindFacts,
  definition: ManifestDefinition,
): DefinitionManifest {
  const { shortNames, categories, scale, rules, olderVersions = {} } = definition;
  const subresources = {
    status: {},
    ...(scale === undefined
      ? {}
      : { scale: { specReplicasPath: scale.spec, statusReplicasPath: scale.status } }),
  };
  const root = (spec: SchemaDocument): SchemaDocument => rootSchema(definition, spec);
  const older = { root, subresources: { status: {} }, columns: columnsOf({}) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        kind: name,
        listKind: `${name}List`,
        plural,
        singular: name.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              ...root(objectSchema(definition.spec)),
              ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
            },
          },
          subresources,
          additionalPrinterColumns: columnsOf(definition.columns ?? {}),
        },
        ...Object.entries(olderVersions).map(([known, one]) =>
          olderVersionManifest(known, one, older),
        ),
      ],
    },
  };
}

function rootSchema(
  { description, kind: name, status }: ManifestDefinition,
  spec: SchemaDocument,
): SchemaDocument {
  const { properties } = objectSchema({ ...statusFields, ...status });
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of this form of the object.' },
      kind: { type: 'string', description: `Always ${name}.` },
      metadata: { type: 'object' },
      spec: { description: 'What is wanted.', ...spec },
      // Whoever writes a status writes what it knows: nothing in it is required.
      status: { description: 'What is there.', type: 'object', properties },
    },
  };
}

const readyColumn: KindColumn = { path: '.status.conditions[?(@.type=="Ready")].status' };
const ageColumn: KindColumn = { path: '.metadata.creationTimestamp', type: 'date' };

function columnsOf(columns: Readonly<Record<string, KindColumn | string>>): SchemaDocument[] {
  const all = { ...columns, Ready: readyColumn, Age: ageColumn };
  return Object.entries(all).map(([name, column]) => {
    const {
      path,
      type = 'string',
      priority,
    } = typeof column === 'string' ? { path: column } : column;
    return { name, type, jsonPath: path, ...(priority === undefined ? {} : { priority }) };
  });
}

/** `status` of every kind of one's own (KEP-1623). */
const statusFields: Fields = {
  observedGeneration: field.integer('The metadata.generation that this status is about.'),
  conditions: field.listByKey(
    'The state in single statements, each True, False or Unknown, with the reason.',
    ['type'],
    field.object('One statement about the object.', {
      type: field.text('What the statement is about.', { maxLength: 316 }),
      status: field.choice('Whether it holds.', ['True', 'False', 'Unknown']),
      reason: field.text('Why, in one word for programs.', { optional: true, maxLength: 1024 }),
      message: field.text('Why, in a sentence for people.', { optional: true, maxLength: 32_768 }),
      lastTransitionTime: field.text('When the status last changed.', {
        optional: true,
        format: 'date-time',
      }),
      observedGeneration: field.integer('The metadata.generation that this was said about.', {
        optional: true,
      }),
    }),
  ),
};
