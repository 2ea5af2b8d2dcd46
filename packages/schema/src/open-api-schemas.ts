import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { JsonSchema } from '@fnlet/machinery';
import {
  apiVersionDescription,
  kindDescription,
  listMetaSchema,
  managedFieldsEntrySchema,
  objectMetaSchema,
  ownerReferenceSchema,
} from './object-meta.ts';
import { metaNames, type OpenApiResource, schemaName, schemaRef } from './open-api-resource.ts';

/** Schemas with a name of their own: other schemas refer to them instead of repeating them. */
const named: ReadonlyMap<JsonSchema, string> = new Map([
  [objectMetaSchema, metaNames.objectMeta],
  [listMetaSchema, metaNames.listMeta],
  [ownerReferenceSchema, metaNames.ownerReference],
  [managedFieldsEntrySchema, metaNames.managedFieldsEntry],
]);

const apiVersion = { type: 'string', description: apiVersionDescription };
const kind = { type: 'string', description: kindDescription };

/** The `components.schemas` of a group version; `definitions` stand as they are given. */
export function openApiSchemas(
  resources: readonly OpenApiResource[],
  definitions: Readonly<Record<string, JsonObject>> = {},
): JsonObject {
  const schemas = new Map<string, JsonObject>([
    ...Object.entries(definitions),
    [metaNames.objectMeta, openApiSchema(objectMetaSchema)],
    [metaNames.listMeta, openApiSchema(listMetaSchema)],
    [metaNames.ownerReference, openApiSchema(ownerReferenceSchema)],
    [metaNames.managedFieldsEntry, openApiSchema(managedFieldsEntrySchema)],
    [metaNames.deleteOptions, deleteOptionsSchema],
    [metaNames.patch, patchSchema],
    [metaNames.status, statusSchema],
  ]);
  for (const resource of resources) {
    const list = { ...resource, kind: `${resource.kind}List` };
    const name = schemaName(resource);
    if (definitions[name] === undefined) schemas.set(name, resourceSchema(resource));
    schemas.set(schemaName(list), listSchema(resource));
    if (resource.subresources.scale === true) schemas.set(schemaName(scaleKind), scaleSchema);
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const;

function resourceSchema(resource: OpenApiResource): JsonObject {
  const { group, version, kind: name } = resource;
  const own = openApiSchema(resource.schema ?? { type: 'object' });
  const properties = isJsonObject(own.properties) ? own.properties : {};
  const given = isJsonObject(properties.metadata) ? properties.metadata : {};
  const description = given.description ?? "Standard object's metadata.";
  return {
    ...own,
    type: 'object',
    properties: {
      ...properties,
      apiVersion,
      kind,
      metadata: { ...reference(metaNames.objectMeta), description },
    },
    'x-kubernetes-group-version-kind': [{ group, kind: name, version }],
  };
}

function listSchema(resource: OpenApiResource): JsonObject {
  const { group, version } = resource;
  return {
    description: `${resource.kind}List is a list of ${resource.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion,
      items: {
        description: `List of ${resource.plural}.`,
        type: 'array',
        items: reference(schemaName(resource)),
      },
      kind,
      metadata: { ...reference(metaNames.listMeta), description: 'Standard list metadata.' },
    },
    'x-kubernetes-group-version-kind': [{ group, kind: `${resource.kind}List`, version }],
  };
}

// Beside a bare $ref nothing else may stand, so the reference is wrapped as upstream does.
function reference(name: string): JsonObject {
  return { default: {}, allOf: [schemaRef(name)] };
}

/** A structural schema in OpenAPI's words: `additionalProperties` is always a schema. */
export function openApiSchema(schema: JsonSchema): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    switch (key) {
      case 'properties':
        return [[key, mapValues(value, openApiChild)]];
      case 'items':
      case 'not':
        return [[key, openApiChild(value)]];
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return [[key, Array.isArray(value) ? value.map(openApiChild) : value]];
      case 'additionalProperties':
        // kubectl explain reads a schema here and fails on a boolean; {} says the same as true.
        return value === false ? [] : [[key, value === true ? {} : openApiChild(value)]];
      default:
        return [[key, value]];
    }
  });
  return Object.fromEntries(entries);
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}

function openApiChild(value: unknown): unknown {
  if (!isSchema(value)) return value;
  const name = named.get(value);
  if (name !== undefined) return reference(name);
  if (value['x-kubernetes-embedded-resource'] !== true) return openApiSchema(value);
  const properties = { ...value.properties, metadata: objectMetaSchema };
  return openApiSchema({ ...value, properties });
}

function mapValues(value: unknown, map: (item: unknown) => unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item)]));
}

const patchSchema: JsonObject = {
  description: 'Patch is provided to give a concrete name and type to the PATCH request body.',
  type: 'object',
};

const deleteOptionsSchema: JsonObject = {
  description: 'DeleteOptions may be provided when deleting an object.',
  type: 'object',
  properties: {
    apiVersion,
    dryRun: { type: 'array', items: { type: 'string' }, description: 'All: nothing is written.' },
    gracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds before the object is deleted; zero means at once.',
    },
    kind,
    orphanDependents: { type: 'boolean', description: 'Deprecated: use propagationPolicy.' },
    preconditions: {
      type: 'object',
      description: 'What must hold for the deletion to take place.',
      properties: { resourceVersion: { type: 'string' }, uid: { type: 'string' } },
    },
    propagationPolicy: {
      type: 'string',
      description: "What becomes of dependents: 'Orphan', 'Background' or 'Foreground'.",
    },
  },
  'x-kubernetes-group-version-kind': [{ group: '', kind: 'DeleteOptions', version: 'v1' }],
};

const statusSchema: JsonObject = {
  description: 'Status is a return value for calls that do not return other objects.',
  type: 'object',
  properties: {
    apiVersion,
    code: { type: 'integer', format: 'int32', description: 'The HTTP status code.' },
    details: {
      type: 'object',
      description: 'What the reason is about.',
      properties: {
        causes: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              field: { type: 'string' },
              message: { type: 'string' },
              reason: { type: 'string' },
            },
          },
        },
        group: { type: 'string' },
        kind: { type: 'string' },
        name: { type: 'string' },
        retryAfterSeconds: { type: 'integer', format: 'int32' },
        uid: { type: 'string' },
      },
    },
    kind,
    message: { type: 'string', description: 'What happened, for a person.' },
    metadata: { ...reference(metaNames.listMeta), description: 'Standard list metadata.' },
    reason: { type: 'string', description: 'What happened, for a program.' },
    status: { type: 'string', description: "'Success' or 'Failure'." },
  },
  'x-kubernetes-group-version-kind': [{ group: '', kind: 'Status', version: 'v1' }],
};

const replicas = { type: 'integer', format: 'int32' };

const scaleSchema: JsonObject = {
  description: 'Scale represents a scaling request for a resource.',
  type: 'object',
  properties: {
    apiVersion,
    kind,
    metadata: { ...reference(metaNames.objectMeta), description: "Standard object's metadata." },
    spec: {
      description: 'The desired scale.',
      type: 'object',
      properties: { replicas: { ...replicas, description: 'Desired number of instances.' } },
    },
    status: {
      description: 'The current scale. Read-only.',
      type: 'object',
      required: ['replicas'],
      properties: {
        replicas: { ...replicas, description: 'Actual number of instances.' },
        selector: { type: 'string', description: 'The label selector of the instances.' },
      },
    },
  },
  'x-kubernetes-group-version-kind': [scaleKind],
};
