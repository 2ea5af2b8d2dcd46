import type { CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from './kind-definition.ts';
import {
  functionNameCharactersMax,
  operatorAttemptsMax,
  operatorConcurrencyMax,
  operatorDefinitionsMax,
  operatorKindsMax,
  operatorNamespacesMax,
  selectorCharactersMax,
} from './limits.ts';
import { hooksSchema, type OperatorHooks } from './operator-hooks.ts';
import {
  type KindReference,
  type KindView,
  keepSchema,
  kindReferenceSchema,
  ownedKindSchema,
  type WatchedKind,
  watchedKindSchema,
} from './operator-kinds.ts';
import { type OperatorReconcile, operatorReconcileSchema } from './operator-reconcile.ts';
import { type OperatorStatus, operatorStatusSchema } from './operator-status.ts';
import { type OperatorWhen, whenSchema } from './operator-when.ts';

/** What is to be made true for every object of a kind, and who says what that is. */
export interface OperatorSpec {
  readonly for: KindReference;
  /** Fields of its objects that are kept and sent. Default: everything but managedFields. */
  readonly keep?: readonly string[];
  readonly owns?: readonly KindView[];
  readonly watches?: readonly WatchedKind[];
  /** Default: changes of the generation. */
  readonly when?: OperatorWhen;
  /** A label selector. Default: all objects. */
  readonly select?: string;
  /** Default: all. */
  readonly namespaces?: readonly string[];
  readonly reconcile: OperatorReconcile;
  /** Hooks of Metacontroller. Default: Fnlet's own contract. */
  readonly hooks?: OperatorHooks;
  /** Default: false. */
  readonly finalize?: boolean;
  readonly concurrency: number;
  readonly deadline: string;
  readonly backoff?: OperatorBackoff;
  readonly resync: string;
  readonly rate?: CallRate;
  readonly payload?: PayloadBounds;
  /** Default: `default`. */
  readonly serviceAccountName?: string;
  /** Default: the name of the Operator. */
  readonly fieldManager?: string;
  /** CustomResourceDefinitions, to be read by whoever uses them. */
  readonly crds?: readonly unknown[];
}

/** The finalizer of an Operator while its objects may have one. */
export const operatorFinalizer = 'fnlet.dev/operator';

/** The finalizer that an Operator keeps on its objects. */
export function objectFinalizerOf({ spec, metadata }: OperatorObject): string {
  return `fnlet.dev/${spec.fieldManager ?? metadata.name}`;
}

/** How soon a failed run is tried again. */
export interface OperatorBackoff {
  /** Default: 5ms. */
  readonly base?: string;
  /** Default: 1000s. */
  readonly cap?: string;
  /** Default: no end. */
  readonly attempts?: number;
}

/** How often its function is called at most. */
export interface CallRate {
  readonly perSecond: number;
  /** Default: as many as in a second. */
  readonly burst?: number;
}

/** How large what goes over the wire may be. */
export interface PayloadBounds {
  /** Of a request, and of an answer; such as 4Mi. */
  readonly max: string | number;
}

/** An Operator as the API gives it: defaults are filled in. */
export type OperatorObject = KindObject<OperatorSpec, OperatorStatus>;

/** What holds where an Operator says nothing. */
export const operatorDefaults = { concurrency: 10, deadline: '10s', resync: '10h' } as const;

const durationPattern = '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$';

function durationSchema(
  description: string,
  rule: string,
  message: string,
): Extract<FieldSchema<string>, { readonly type: 'string' }> {
  return {
    type: 'string',
    description,
    maxLength: 32,
    pattern: durationPattern,
    'x-kubernetes-validations': [{ rule, message }],
  };
}

const backoffSchema: FieldSchema<OperatorBackoff> = {
  type: 'object',
  description: 'How soon a failed run is tried again. A change of the object runs it at once.',
  properties: {
    base: durationSchema(
      'Delay after the first failure; it doubles with every failure in a row. Default is 5ms.',
      "duration(self) > duration('0s') && duration(self) <= duration('1h')",
      'base must be more than 0s and at most 1h',
    ),
    cap: durationSchema(
      'No delay is longer. Default is 1000s.',
      "duration(self) > duration('0s') && duration(self) <= duration('24h')",
      'cap must be more than 0s and at most 24h',
    ),
    attempts: {
      type: 'integer',
      format: 'int32',
      description:
        'After so many failures in a row only a change runs it again. Default is no end.',
      minimum: 1,
      maximum: operatorAttemptsMax,
    },
  },
};

const rateSchema: FieldSchema<CallRate> = {
  type: 'object',
  description: 'How often the function is called at most, whatever happens. Default is no bound.',
  properties: {
    perSecond: {
      type: 'integer',
      format: 'int32',
      description: 'Calls a second, in the long run.',
      minimum: 1,
      maximum: 100_000,
      required: true,
    },
    burst: {
      type: 'integer',
      format: 'int32',
      description: 'Calls that may come at once. Default is as many as perSecond.',
      minimum: 1,
      maximum: 100_000,
    },
  },
};

const specSchema: FieldSchema<OperatorSpec> = {
  type: 'object',
  description: 'What is watched, and which function says what is wanted of it.',
  properties: {
    for: {
      ...kindReferenceSchema,
      description: 'The kind whose objects are made true, each by runs of its own.',
      required: true,
    },
    keep: keepSchema,
    owns: {
      type: 'array',
      description:
        'Kinds of children: they are watched, sent to the function, applied where they differ from ' +
        'what it wants, and deleted when it wants them no more.',
      items: ownedKindSchema,
      maxItems: operatorKindsMax,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['apiVersion', 'kind'],
    },
    watches: {
      type: 'array',
      description: 'Kinds of other objects whose changes concern its own.',
      items: watchedKindSchema,
      maxItems: operatorKindsMax,
    },
    when: whenSchema,
    select: {
      type: 'string',
      description: 'Only objects with these labels, as kubectl get -l has them. Default is all.',
      maxLength: selectorCharactersMax,
    },
    namespaces: {
      type: 'array',
      description:
        'Only objects in these namespaces; then its ServiceAccount needs a Role in each of them ' +
        'instead of a ClusterRole. Default is all namespaces.',
      items: { type: 'string', description: 'A namespace.', minLength: 1, maxLength: 63 },
      minItems: 1,
      maxItems: operatorNamespacesMax,
      'x-kubernetes-list-type': 'set',
    },
    reconcile: { ...operatorReconcileSchema, required: true },
    hooks: hooksSchema,
    finalize: {
      type: 'boolean',
      description:
        'Whether its objects are kept by a finalizer until the function says that they may go: it ' +
        'is called with what: cleanup. Default is false.',
    },
    concurrency: {
      type: 'integer',
      format: 'int32',
      description: 'How many objects are run at once, each by one call at most. Default is 10.',
      minimum: 1,
      maximum: operatorConcurrencyMax,
      default: operatorDefaults.concurrency,
    },
    deadline: {
      ...durationSchema(
        'How long one run may take, waking the function included. Default is 10s.',
        "duration(self) > duration('0s') && duration(self) <= duration('1h')",
        'deadline must be more than 0s and at most 1h',
      ),
      default: operatorDefaults.deadline,
    },
    backoff: backoffSchema,
    resync: {
      ...durationSchema(
        'Every object is run again at the latest after so long, give or take a tenth. Default is ' +
          '10h.',
        "duration(self) >= duration('1m')",
        'resync must be at least 1m',
      ),
      default: operatorDefaults.resync,
    },
    rate: rateSchema,
    payload: {
      type: 'object',
      description: 'How large what goes to the function and comes from it may be.',
      properties: {
        max: {
          'x-kubernetes-int-or-string': true,
          description:
            'Bytes of one request, and of one answer, such as 4Mi. An object for which it is not ' +
            'enough is not run, and says so. Default is 4Mi.',
          maxLength: 32,
          pattern: '^[0-9]+(Ki|Mi)?$',
          minimum: 1024,
          maximum: 67_108_864,
          required: true,
        },
      },
    },
    serviceAccountName: {
      type: 'string',
      description:
        'The ServiceAccount, in the namespace of the Operator, as which everything is read and ' +
        'written: the function sees what it may read, and children are written by its rights. ' +
        'Default is default.',
      minLength: 1,
      maxLength: 253,
    },
    fieldManager: {
      type: 'string',
      description:
        'Who owns the fields that are applied; the finalizer has this name, too, with fnlet.dev/ ' +
        'before it. It should stay what it is. Default is the name of the Operator.',
      minLength: 1,
      maxLength: 63,
      pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
    },
    crds: {
      type: 'array',
      description:
        'CustomResourceDefinitions that the Operator brings with it: they are applied, by the ' +
        'rights of its ServiceAccount, before anything runs.',
      items: {
        type: 'object',
        description: 'A CustomResourceDefinition of apiextensions.k8s.io/v1.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      maxItems: operatorDefinitionsMax,
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.hooks) || !has(self.hooks.finalize) || (has(self.finalize) && self.finalize)',
      message: 'hooks.finalize is called only with finalize: true',
    },
  ],
};

const definition: KindDefinition<OperatorSpec, OperatorStatus> = {
  kind: 'Operator',
  plural: 'operators',
  shortNames: ['op'],
  categories: ['all', 'fnlet'],
  description:
    'An Operator makes objects of a kind true: when one changes, a function is called that says ' +
    'what is wanted, and Fnlet applies it. The function sleeps while nothing changes.',
  spec: specSchema,
  status: operatorStatusSchema,
  columns: [
    { name: 'For', type: 'string', jsonPath: '.spec.for.kind' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether changes of its objects are acted upon.',
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      description: 'Why they are, or are not.',
    },
    { name: 'Objects', type: 'integer', jsonPath: '.status.objects.total' },
    { name: 'Settled', type: 'integer', jsonPath: '.status.objects.settled' },
    { name: 'Failing', type: 'integer', jsonPath: '.status.objects.failing' },
    { name: 'Awake', type: 'boolean', jsonPath: '.status.awake' },
    { name: 'Last Run', type: 'date', jsonPath: '.status.lastRun' },
    { name: 'Function', type: 'string', jsonPath: '.status.function', priority: 1 },
    { name: 'Queue', type: 'integer', jsonPath: '.status.queue', priority: 1 },
    { name: 'Next Due', type: 'string', jsonPath: '.status.nextDue', priority: 1 },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      priority: 1,
    },
  ],
  name: {
    type: 'string',
    description: 'What its Function is called, where it has one of its own.',
    'x-kubernetes-validations': [
      {
        rule: `size(self) <= ${functionNameCharactersMax} && self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')`,
        message:
          'the name of an Operator must be at most 52 characters long, start with a letter, and ' +
          'consist of lower-case letters, digits and dashes',
      },
    ],
  },
};

/** How Operators are addressed. */
export const operatorType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind Operator. */
export const operatorCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads an Operator that comes from the API.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseOperator: (value: unknown) => OperatorObject = objectParser(definition);
