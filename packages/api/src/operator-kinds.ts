import type { FieldSchema } from './field-schema.ts';
import {
  celExpressionCharactersMax,
  keptFieldCharactersMax,
  keptFieldsMax,
  selectorCharactersMax,
} from './limits.ts';

/** A kind of objects, as their manifests name it. */
export interface KindReference {
  /** Group and version; `v1` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** A kind of which only some objects, or some of each object, are looked at. */
export interface KindView extends KindReference {
  /** Paths of fields. Default: everything but managedFields. */
  readonly keep?: readonly string[];
  /** A label selector. Default: all. */
  readonly selector?: string;
}

/** A kind of objects whose changes concern objects of the Operator's own kind. */
export interface WatchedKind extends KindView {
  /** CEL over `object`: which objects it concerns. Default: the function is asked. */
  readonly map?: string;
  /** Which of them a run is sent. Default: `all`. */
  readonly related?: RelatedObjects;
}

/** `mapped`: those that concern the object; `all`: each of them. */
export type RelatedObjects = 'all' | 'mapped';

/** Paths of fields, wherever an Operator says what is kept. */
export const keepSchema: Extract<FieldSchema<readonly string[]>, { readonly type: 'array' }> = {
  type: 'array',
  description:
    'Fields of each object that are kept in memory and sent to the function, such as ' +
    'status.readyReplicas; what names and orders an object always is. Default is everything but ' +
    'metadata.managedFields.',
  items: {
    type: 'string',
    description: 'A path of fields with dots between them.',
    minLength: 1,
    maxLength: keptFieldCharactersMax,
  },
  maxItems: keptFieldsMax,
  'x-kubernetes-list-type': 'set',
};

type ViewProperties = Extract<
  FieldSchema<KindView>,
  { readonly properties: unknown }
>['properties'];

const viewProperties: ViewProperties = {
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
  keep: keepSchema,
  selector: {
    type: 'string',
    description:
      'Labels of the objects, as kubectl get -l has them: "app=web,tier in (a,b)". Default is all.',
    maxLength: selectorCharactersMax,
  },
};

const { apiVersion, kind } = viewProperties;

export const kindReferenceSchema: FieldSchema<KindReference> = {
  type: 'object',
  description: 'A kind of objects.',
  properties: { apiVersion, kind },
};

export const ownedKindSchema: FieldSchema<KindView> = {
  type: 'object',
  description: 'A kind of children.',
  properties: viewProperties,
};

export const watchedKindSchema: FieldSchema<WatchedKind> = {
  type: 'object',
  description: 'A kind of other objects.',
  properties: {
    ...viewProperties,
    map: {
      type: 'string',
      description:
        'A CEL expression over object, the one that changed: the name of the object that it ' +
        'concerns, in its own namespace, or {"name": …, "namespace": …}, or a list of such; [] for ' +
        'none. It is asked about the old and the new form of a change, and wakes nothing by ' +
        'itself. Default is that the function is asked, which wakes it with every change.',
      minLength: 1,
      maxLength: celExpressionCharactersMax,
    },
    related: {
      type: 'string',
      description:
        'Which objects of this kind the function is sent with each call: all of them (the ' +
        'default), or those that are mapped to the object that it is about.',
      enum: ['all', 'mapped'],
    },
  },
};
