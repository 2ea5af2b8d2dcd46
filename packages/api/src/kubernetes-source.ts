import type { FieldSchema } from './field-schema.ts';
import {
  celExpressionCharactersMax,
  selectorCharactersMax,
  sourceNamespacesMax,
} from './limits.ts';

/** Changes of objects of one kind. */
export interface KubernetesSource {
  readonly apiVersion: string;
  readonly kind: string;
  /** Default: that of the Trigger; `*` stands for all. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Default: all three. */
  readonly changes?: readonly ObjectChangeKind[];
  /** Default: false. */
  readonly generationChanged?: boolean;
  /** CEL over `object` and `oldObject`. Default: all changes. */
  readonly when?: string;
  readonly content: ObjectChangeContent;
  /** Default: false. */
  readonly metadataOnly?: boolean;
  /** Whose rights count. Default: `default`. */
  readonly serviceAccountName?: string;
}

export type ObjectChangeKind = 'add' | 'update' | 'delete';

export type ObjectChangeContent = 'change' | 'object' | 'reference';

export const kubernetesSourceSchema: FieldSchema<KubernetesSource> = {
  type: 'object',
  description:
    'Changes of objects of one kind, from now on; also those that happen while Fnlet does not run.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the objects, such as apps/v1; v1 for the core group.',
      minLength: 1,
      maxLength: 317,
      required: true,
    },
    kind: {
      type: 'string',
      description: 'Kind of the objects, such as Deployment.',
      minLength: 1,
      maxLength: 63,
      required: true,
    },
    namespaces: {
      type: 'array',
      description:
        'Where the objects are; * stands for everywhere. Default is where the Trigger is.',
      items: { type: 'string', description: 'A namespace, or *.', minLength: 1, maxLength: 63 },
      minItems: 1,
      maxItems: sourceNamespacesMax,
      'x-kubernetes-list-type': 'set',
    },
    labelSelector: {
      type: 'string',
      description:
        'Labels of the objects, as kubectl get -l has them: "app=web,tier in (a,b)". One that ' +
        'begins to match is an add, one that does no longer is a delete.',
      maxLength: selectorCharactersMax,
    },
    fieldSelector: {
      type: 'string',
      description: 'Fields of the objects, any of them: "status.phase=Running,metadata.name!=a".',
      maxLength: selectorCharactersMax,
    },
    changes: {
      type: 'array',
      description: 'Which changes are events. Default is all of them.',
      items: { type: 'string', description: 'A change.', enum: ['add', 'update', 'delete'] },
      minItems: 1,
      maxItems: 3,
      'x-kubernetes-list-type': 'set',
    },
    generationChanged: {
      type: 'boolean',
      description:
        'Whether an update is an event only when metadata.generation changed: the spec, not the ' +
        'status. Default is false.',
    },
    when: {
      type: 'string',
      description:
        'A CEL expression over object and oldObject; where it is false there is no event. One that ' +
        'uses oldObject is asked about updates only. What it cannot judge is an event.',
      minLength: 1,
      maxLength: celExpressionCharactersMax,
    },
    content: {
      type: 'string',
      description:
        'What events carry: change, {object, oldObject}; object, the object alone; reference, its ' +
        'apiVersion, kind, namespace and name. The types of the latter two are those of ' +
        "Knative's ApiServerSource.",
      enum: ['change', 'object', 'reference'],
      default: 'change',
    },
    metadataOnly: {
      type: 'boolean',
      description:
        'Whether only the metadata of objects are looked at and carried. Default is false.',
    },
    serviceAccountName: {
      type: 'string',
      description:
        'The ServiceAccount in the namespace of the Trigger that must be allowed to list and watch ' +
        'the objects. Default is default.',
      minLength: 1,
      maxLength: 253,
    },
  },
};
