import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import { affinitySchema, type FunctionAffinity } from './affinity.ts';
import type { FieldSchema } from './field-schema.ts';
import { type FunctionRollout, rolloutSchema } from './function-rollout.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from './kind-definition.ts';
import { functionNameCharactersMax } from './limits.ts';
import { type RevisionTemplate, templateProperties } from './revision-template.ts';
import { defaultScale, type FunctionScale, scaleSchema } from './scale.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';
import {
  type FunctionMirror,
  type FunctionSession,
  mirrorSchema,
  sessionSchema,
  type TrafficTarget,
  trafficSchema,
} from './traffic.ts';
import {
  type CanaryStatus,
  canaryStatusSchema,
  type TrafficStatus,
  trafficStatusSchema,
} from './traffic-status.ts';

/** What a user asks for. */
export interface FunctionSpec extends RevisionTemplate {
  readonly visibility?: 'external' | 'internal';
  readonly scale: FunctionScale;
  readonly affinity?: FunctionAffinity;
  readonly traffic?: readonly TrafficTarget[];
  readonly session?: FunctionSession;
  readonly mirror?: FunctionMirror;
  readonly rollout?: FunctionRollout;
}

/** What became of it. */
export interface FunctionStatus {
  readonly observedGeneration?: number;
  readonly revision?: string;
  readonly latestRevision?: string;
  readonly traffic?: readonly TrafficStatus[];
  readonly canary?: CanaryStatus;
  readonly runtime?: string;
  readonly url?: string;
  readonly replicas?: number;
  readonly selector?: string;
  readonly scaling?: ScalingStatus;
  readonly source?: SourceStatus;
  readonly conditions?: readonly Condition[];
}

/** The last change of how many Instances there are. */
export interface ScalingStatus {
  readonly from?: number;
  readonly to?: number;
  readonly reason?: string;
  readonly time?: string;
}

/** What the source of a Function was found to be: which commit, or which archive. */
export interface SourceStatus {
  /** Where it was found. */
  readonly url?: string;
  /** What was asked for there, as the spec says it. */
  readonly reference?: string;
  readonly commit?: string;
  /** Digest of the archive, in hex. */
  readonly digest?: string;
  /** When it was found first. */
  readonly fetchedAt?: string;
  /** The last request of {@link syncAnnotation} that was answered. */
  readonly syncedFor?: string;
}

/** A Function as the API gives it: defaults are filled in. */
export type FunctionObject = KindObject<FunctionSpec, FunctionStatus>;

const specSchema: FieldSchema<FunctionSpec> = {
  type: 'object',
  description: 'What the function is and how it runs.',
  properties: {
    ...templateProperties,
    visibility: {
      type: 'string',
      description:
        'Who calls the Function by its names. external (the default): whoever reaches the Gateway. ' +
        "internal: other Functions, the API's proxy of its Service, and what runs inside, such as " +
        'Operators; from outside it is called through the routes of Triggers only, and so by their ' +
        'rules.',
      enum: ['external', 'internal'],
    },
    scale: { ...scaleSchema, default: defaultScale },
    affinity: affinitySchema,
    traffic: trafficSchema,
    session: sessionSchema,
    mirror: mirrorSchema,
    rollout: rolloutSchema,
  },
  'x-kubernetes-validations': [
    {
      rule:
        '!has(self.mirror) || !has(self.mirror.tag) || (has(self.traffic) && ' +
        'self.traffic.exists(target, has(target.tag) && target.tag == self.mirror.tag))',
      message: 'no Revision in traffic has the tag that mirror names: add it, with percent 0',
    },
  ],
};

const statusSchema: FieldSchema<FunctionStatus> = {
  type: 'object',
  description: 'What Fnlet made of the Function. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    revision: {
      type: 'string',
      description: 'Name of the Revision that calls go to, or most of them.',
    },
    latestRevision: {
      type: 'string',
      description: 'Name of the newest Revision that is ready and was not rolled back.',
    },
    traffic: trafficStatusSchema,
    canary: canaryStatusSchema,
    runtime: {
      type: 'string',
      description: 'Runtime that spec.runtime means here; another one when that is retired.',
    },
    url: {
      type: 'string',
      description: 'Where the Function is called; an address for those inside when it is internal.',
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Instances that are ready; 0 while the Function sleeps.',
      minimum: 0,
    },
    selector: {
      type: 'string',
      description: 'Selects the Pods of its Instances; what autoscalers go by.',
    },
    scaling: {
      type: 'object',
      description: 'The last change of how many Instances are wanted.',
      properties: {
        from: { type: 'integer', format: 'int32', description: 'Instances before.' },
        to: { type: 'integer', format: 'int32', description: 'Instances since.' },
        reason: { type: 'string', description: 'Why.' },
        time: { type: 'string', format: 'date-time', description: 'When.' },
      },
    },
    source: {
      type: 'object',
      description: 'What the source was found to be; for git and for archives from a URL.',
      properties: {
        url: { type: 'string', description: 'Where it was found.' },
        reference: { type: 'string', description: 'The reference of the spec, if it has one.' },
        commit: { type: 'string', description: 'The commit that the reference pointed to.' },
        digest: { type: 'string', description: 'The sha256 digest of the archive.' },
        fetchedAt: {
          type: 'string',
          format: 'date-time',
          description: 'When this commit or archive was found first.',
        },
        syncedFor: {
          type: 'string',
          description: 'The last request of the annotation fnlet.dev/sync that was answered.',
        },
      },
    },
    conditions: conditionsSchema,
  },
};

// Its Service has the same name (RFC 1035 label), its Revisions and Pods a longer one.
const nameRule = [
  `size(self) <= ${functionNameCharactersMax}`,
  "self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
].join(' && ');

const definition: KindDefinition<FunctionSpec, FunctionStatus> = {
  kind: 'Function',
  plural: 'functions',
  shortNames: ['fn'],
  categories: ['all', 'fnlet'],
  description:
    'A Function is code that answers HTTP calls. Fnlet runs it without building an image, and ' +
    'lets it sleep while nobody calls.',
  spec: specSchema,
  status: statusSchema,
  scale: {
    specReplicasPath: '.spec.scale.min',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  rules: [
    {
      rule:
        '!has(self.spec.traffic) || self.spec.traffic.all(target, ' +
        '!has(target.tag) || size(target.tag) + size(self.metadata.name) < 63)',
      message:
        'a tag and the name of the Function must have at most 62 characters together, because ' +
        '<tag>-<function> is a name of DNS',
    },
  ],
  // Six columns fit into 120 characters with the names that people use.
  columns: [
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether the newest generation serves.',
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      description: 'Why it is ready, or is not.',
    },
    { name: 'Runtime', type: 'string', jsonPath: '.spec.runtime' },
    {
      name: 'Instances',
      type: 'integer',
      jsonPath: '.status.replicas',
      description: 'Instances that are ready; 0 while it sleeps.',
    },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    { name: 'Revision', type: 'string', jsonPath: '.status.revision', priority: 1 },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      priority: 1,
    },
  ],
  name: {
    type: 'string',
    description: 'What its Revisions, Instances, Service and URL are called after.',
    'x-kubernetes-validations': [
      {
        rule: nameRule,
        message:
          'the name of a Function must be at most 52 characters long, start with a letter, and ' +
          'consist of lower-case letters, digits and dashes',
      },
    ],
  },
};

/** How Functions are addressed. */
export const functionType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind Function. */
export const functionCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a Function that comes from the API.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseFunction: (value: unknown) => FunctionObject = objectParser(definition);
