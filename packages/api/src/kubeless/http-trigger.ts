import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { FieldSchema } from '../field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from '../kind-definition.ts';
import { conditionsSchema, observedGenerationSchema } from '../status-schema.ts';
import { kubelessKind, readyColumn, textSchema } from './kubeless-kind.ts';

/** Where a function is to be reached from outside. */
export interface HttpTriggerSpec {
  readonly 'function-name': string;
  readonly 'host-name'?: string;
  readonly path?: string;
  readonly tls?: boolean;
  readonly 'tls-secret'?: string;
  readonly 'basic-auth-secret'?: string;
  readonly 'cors-enable'?: boolean;
  readonly gateway?: string;
}

/** What became of it. */
export interface HttpTriggerStatus {
  readonly observedGeneration?: number;
  readonly url?: string;
  readonly conditions?: readonly Condition[];
}

/** An HTTPTrigger of Kubeless as the API gives it. */
export type HttpTriggerObject = KindObject<HttpTriggerSpec, HttpTriggerStatus>;

const specSchema: FieldSchema<HttpTriggerSpec> = {
  type: 'object',
  description: 'Where the function is to be reached.',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    'function-name': {
      type: 'string',
      description: 'Name of the function, in the same namespace.',
      minLength: 1,
      required: true,
    },
    'host-name': textSchema('The host that requests name. Default: any.'),
    path: textSchema('Where on that host, without a slash before it. Default: everything.'),
    tls: {
      type: 'boolean',
      description: 'Whether a certificate is to be got; the Gateway makes one of its own instead.',
    },
    'tls-secret': textSchema('The Secret with the certificate of the host.'),
    'basic-auth-secret': textSchema('The Secret with the users and passwords that are let in.'),
    'cors-enable': {
      type: 'boolean',
      description: 'Whether pages of other origins may call the function.',
    },
    gateway: textSchema(
      'The ingress that Kubeless was to use. With nginx the path is taken off, as its ingress did.',
    ),
  },
};

const definition: KindDefinition<HttpTriggerSpec, HttpTriggerStatus> = {
  ...kubelessKind,
  kind: 'HTTPTrigger',
  plural: 'httptriggers',
  description: 'An HTTPTrigger of Kubeless: a host and a path at which a function is reached.',
  spec: specSchema,
  status: {
    type: 'object',
    description: 'What became of it. Written by Fnlet only.',
    properties: {
      observedGeneration: observedGenerationSchema,
      url: textSchema('Where the function is called.'),
      conditions: conditionsSchema,
    },
  },
  columns: [
    { name: 'Function', type: 'string', jsonPath: '.spec.function-name' },
    { name: 'Host', type: 'string', jsonPath: '.spec.host-name' },
    { name: 'Path', type: 'string', jsonPath: '.spec.path' },
    readyColumn,
  ],
};

/** How HTTPTriggers are addressed. */
export const httpTriggerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const httpTriggerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads an HTTPTrigger that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseHttpTrigger: (value: unknown) => HttpTriggerObject = objectParser(definition);
