import type {
  CustomResourceDefinition,
  JsonSchema,
  KubeObject,
  PrinterColumn,
  ResourceType,
} from '@fnlet/machinery';
import { ApiError } from './api-error.ts';
import { type FieldSchema, findMismatch, toJsonSchema } from './field-schema.ts';
import { apiGroup, apiVersion, apiVersionName } from './group.ts';

/** One of Fnlet's kinds: everything else about it follows from this. */
export interface KindDefinition<Spec, Status> {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly categories: readonly string[];
  readonly description: string;
  readonly spec: FieldSchema<Spec>;
  readonly status: FieldSchema<Status>;
  readonly columns: readonly PrinterColumn[];
  /** Where `kubectl scale` reads and writes, as JSON paths. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
  /** What the names of its objects have to be, beyond what Kubernetes asks for. */
  readonly name?: FieldSchema<string>;
}

/** How objects of the kind are addressed. */
export function resourceTypeOf(definition: {
  readonly kind: string;
  readonly plural: string;
}): ResourceType {
  const { kind, plural } = definition;
  return { group: apiGroup, version: apiVersionName, kind, plural, namespaced: true };
}

/** The manifest that teaches a cluster the kind. */
export function customResourceDefinition<Spec, Status>(
  definition: KindDefinition<Spec, Status>,
): CustomResourceDefinition {
  const { kind, plural, shortName, categories, description, columns, scale, name } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${apiGroup}` },
    spec: {
      group: apiGroup,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories,
      },
      versions: [
        {
          name: apiVersionName,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description,
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string', description: `Always ${apiVersion}.` },
                kind: { type: 'string', description: `Always ${kind}.` },
                metadata: {
                  type: 'object',
                  ...(name === undefined ? {} : { properties: { name: toJsonSchema(name) } }),
                },
                spec: toJsonSchema(definition.spec),
                status: toJsonSchema(definition.status),
              },
            },
          },
          subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
          additionalPrinterColumns: [
            ...columns,
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      ],
    },
  };
}

/** An object of one of Fnlet's kinds as the API gives it. */
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
  const crd = customResourceDefinition(definition);
  const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema ?? {};
  const objectSchema: JsonSchema = {
    ...schema,
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string', enum: [apiVersion] },
      kind: { type: 'string', enum: [definition.kind] },
      metadata: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' } },
      },
    },
  };
  return (value) => {
    assertShape(definition, objectSchema, value);
    return value;
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
