import type { JsonSchema } from '@fnlet/machinery';

const time = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description,
});

const texts = (description: string): JsonSchema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

/** An owner of an object (meta/v1 OwnerReference). */
export const ownerReferenceSchema: JsonSchema = {
  type: 'object',
  description:
    'OwnerReference names an object that this one depends on: it is deleted with its last owner.',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: { type: 'string', description: 'API version of the owner.' },
    blockOwnerDeletion: {
      type: 'boolean',
      description:
        'If true, a foreground deletion of the owner waits until this object is gone. ' +
        'Defaults to false.',
    },
    controller: {
      type: 'boolean',
      description: 'If true, the owner is the controller that manages this object.',
    },
    kind: { type: 'string', description: 'Kind of the owner.' },
    name: { type: 'string', description: 'Name of the owner.' },
    uid: { type: 'string', description: 'UID of the owner.' },
  },
};

/** Who manages which fields (meta/v1 ManagedFieldsEntry). */
export const managedFieldsEntrySchema: JsonSchema = {
  type: 'object',
  description: 'ManagedFieldsEntry says which fields of the object a field manager owns.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'The version of the object that the field set is written in.',
    },
    fieldsType: { type: 'string', description: 'The format of the field set: FieldsV1.' },
    fieldsV1: {
      type: 'object',
      description: 'The owned fields, as a tree of f:<field>, k:<keys> and v:<value>.',
      'x-kubernetes-preserve-unknown-fields': true,
    },
    manager: { type: 'string', description: 'The name of whoever manages these fields.' },
    operation: {
      type: 'string',
      description: "How the fields became owned: 'Apply' or 'Update'.",
    },
    subresource: {
      type: 'string',
      description: 'The subresource through which they were written; empty for the object itself.',
    },
    time: time('When this entry last changed.'),
  },
};

/** The metadata of every object (meta/v1 ObjectMeta), with the texts of `kubectl explain`. */
export const objectMetaSchema: JsonSchema = {
  type: 'object',
  description: 'ObjectMeta is metadata that all persisted resources have.',
  properties: {
    annotations: texts(
      'Annotations is an unstructured key value map that tools may use to keep arbitrary ' +
        'metadata. They cannot be selected by.',
    ),
    creationTimestamp: time(
      'CreationTimestamp is a timestamp of when the object was created. Set by the server; ' +
        'read-only.',
    ),
    deletionGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds the object has to stop gracefully once it is deleted. Read-only.',
    },
    deletionTimestamp: time(
      'When the object will be deleted. Set by the server when a graceful deletion is asked ' +
        'for; it is gone once its finalizers are. Read-only.',
    ),
    finalizers: {
      type: 'array',
      description:
        'Must be empty before the object is removed. Each entry names a component that ' +
        'clears something up first and then removes its entry.',
      'x-kubernetes-list-type': 'set',
      items: { type: 'string' },
    },
    generateName: {
      type: 'string',
      description: 'A prefix from which the server makes a unique name when name is not given.',
    },
    generation: {
      type: 'integer',
      format: 'int64',
      description: 'Grows with every change of the desired state. Set by the server; read-only.',
    },
    labels: texts(
      'Labels is a map of keys and values by which objects are organised and selected.',
    ),
    managedFields: {
      type: 'array',
      description: 'Which field manager owns which fields (server-side apply).',
      'x-kubernetes-list-type': 'atomic',
      items: managedFieldsEntrySchema,
    },
    name: {
      type: 'string',
      description: 'Name is unique within a namespace and kind. It cannot be changed.',
    },
    namespace: {
      type: 'string',
      description:
        'The space within which the name is unique. Empty for objects that are ' +
        'cluster-scoped. It cannot be changed.',
    },
    ownerReferences: {
      type: 'array',
      description:
        'Objects that this one depends on. When all of them are gone it is garbage ' +
        'collected. At most one is its controller.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: ownerReferenceSchema,
    },
    resourceVersion: {
      type: 'string',
      description:
        'An opaque value that changes with every write; send it back to write only what was ' +
        'read. Set by the server.',
    },
    selfLink: { type: 'string', description: 'Deprecated: not set any more.' },
    uid: {
      type: 'string',
      description:
        'UID is unique in time and space: an object created anew under the same name has ' +
        'another. Set by the server; read-only.',
    },
  },
};

/** The metadata of a list (meta/v1 ListMeta). */
export const listMetaSchema: JsonSchema = {
  type: 'object',
  description: 'ListMeta is metadata that lists have.',
  properties: {
    continue: {
      type: 'string',
      description: 'A token with which the next page of a limited list is asked for.',
    },
    remainingItemCount: {
      type: 'integer',
      format: 'int64',
      description: 'How many items follow this page, when that is known.',
    },
    resourceVersion: {
      type: 'string',
      description: 'The version of the list, from which a watch can go on.',
    },
    selfLink: { type: 'string', description: 'Deprecated: not set any more.' },
  },
};

/** The description of apiVersion that every kind shares. */
export const apiVersionDescription: string =
  'APIVersion defines the versioned schema of this representation of an object. Servers ' +
  'convert recognized schemas to the latest internal value and may reject unrecognized ' +
  'values.';

/** The description of kind that every kind shares. */
export const kindDescription: string =
  'Kind is a string value that names the REST resource this object represents, in CamelCase. ' +
  'It cannot be changed.';
