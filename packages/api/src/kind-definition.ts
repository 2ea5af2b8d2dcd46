import {
  type CustomResourceDefinition,
  type CustomResourceVersion,
  formatApiVersion,
  type JsonSchema,
  type KubeObject,
  type PrinterColumn,
  type ResourceType,
  type ValidationRule,
} from '@fnlet/machinery';
import { ApiError } from './api-error.ts';
import { type FieldSchema, findMismatch, toJsonSchema } from './field-schema.ts';
import { apiGroup, apiVersionName } from './group.ts';

/** A kind that Fnlet serves: everything else about it follows from this. */
export interface KindDefinition<Spec, Status> {
  /** Default: that of Fnlet's own kinds. */
  readonly group?: string;
  /** The version that is stored. Default: that of Fnlet's own kinds. */
  readonly version?: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: its objects are in namespaces. */
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly spec: FieldSchema<Spec>;
  readonly status: FieldSchema<Status>;
  readonly columns: readonly PrinterColumn[];
  /** Where `kubectl scale` reads and writes, as JSON paths. */
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
  /** What the names of its objects have to be, beyond what Kubernetes asks for. */
  readonly name?: FieldSchema<string>;
  /** What holds for an object as a whole. */
  readonly rules?: readonly ValidationRule[];
}

type Names = Pick<
  KindDefinition<unknown, unknown>,
  'group' | 'version' | 'kind' | 'plural' | 'scope'
>;

/** How objects of the kind are addressed. */
export function resourceTypeOf(definition: Names): ResourceType {
  const { group = apiGroup, version = apiVersionName, kind, plural } = definition;
  return { group, version, kind, plural, namespaced: definition.scope !== 'Cluster' };
}

/**
 * The manifest that teaches a cluster the kind. Its versions are made when somebody looks at them:
 * a start that finds the kind as it should be does not.
 */
export function customResourceDefinition<Spec, Status>(
  definition: KindDefinition<Spec, Status>,
): CustomResourceDefinition {
  const { group = apiGroup, kind, plural, shortNames, categories } = definition;
  let versions: readonly CustomResourceVersion[] | undefined;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: definition.scope ?? 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
        categories,
      },
      get versions(): readonly CustomResourceVersion[] {
        versions ??= [storedVersion(definition)];
        return versions;
      },
    },
  };
}

function storedVersion<Spec, Status>(
  definition: KindDefinition<Spec, Status>,
): CustomResourceVersion {
  const { kind, description, columns, scale, name, rules } = definition;
  const type = resourceTypeOf(definition);
  return {
    name: type.version,
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description,
        required: ['spec'],
        properties: {
          apiVersion: { type: 'string', description: `Always ${formatApiVersion(type)}.` },
          kind: { type: 'string', description: `Always ${kind}.` },
          metadata: {
            type: 'object',
            ...(name === undefined ? {} : { properties: { name: toJsonSchema(name) } }),
          },
          spec: toJsonSchema(definition.spec),
          status: toJsonSchema(definition.status),
        },
        ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
      },
    },
    subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
    additionalPrinterColumns: [
      ...columns,
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  };
}

/** An object of such a kind as the API gives it. */
export interface KindObject<Spec, Status> extends KubeObject {
  readonly spec: Spec;
  readonly status?: Status;
}

/**
 * The way to read objects of the kind that come from outside.
 *
 * @throws ApiError `UnexpectedShape`
 */
export function objectParser<Spec, Status>(
  definition: KindDefinition<Spec, Status>,
): (value: unknown) => KindObject<Spec, Status> {
  let schema: JsonSchema | undefined;
  return (value) => {
    schema ??= objectSchema(definition);
    assertShape(definition, schema, value);
    return value;
  };
}

function objectSchema<Spec, Status>(definition: KindDefinition<Spec, Status>): JsonSchema {
  const schema = storedVersion(definition).schema?.openAPIV3Schema ?? {};
  return {
    ...schema,
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string', enum: [formatApiVersion(resourceTypeOf(definition))] },
      kind: { type: 'string', enum: [definition.kind] },
      metadata: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' } },
      },
    },
  };
}

function assertShape<Spec, Status>(
  definition: KindDefinition<Spec, Status>,
  schema: JsonSchema,
  value: unknown,
): asserts value is KindObject<Spec, Status> {
  const mismatch = findMismatch(schema, value, '');
  if (mismatch !== undefined) {
    throw new ApiError('UnexpectedShape', `Cannot read ${definition.kind}: ${mismatch}`);
  }
}
