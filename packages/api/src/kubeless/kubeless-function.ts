/** The kind Function of Kubeless, which never had a schema. */
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

/** What a user asks for. */
export interface KubelessFunctionSpec {
  readonly handler?: string;
  readonly function?: string;
  readonly 'function-content-type'?: string;
  readonly checksum?: string;
  readonly runtime?: string;
  readonly timeout?: string | number;
  readonly deps?: string;
  /** A Deployment, of which parts count; read by `readKubelessDeployment`. */
  readonly deployment?: unknown;
  /** The spec of a Service. */
  readonly service?: unknown;
  /** A HorizontalPodAutoscaler. */
  readonly horizontalPodAutoscaler?: unknown;
}

/** What became of it; Kubeless itself wrote none. */
export interface KubelessFunctionStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly url?: string;
  readonly conditions?: readonly Condition[];
}

/** A Kubeless function as the API gives it. */
export type KubelessFunctionObject = KindObject<KubelessFunctionSpec, KubelessFunctionStatus>;

const specSchema: FieldSchema<KubelessFunctionSpec> = {
  type: 'object',
  description: 'What the function is and how it runs.',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    handler: textSchema('Module and function, as module.function.'),
    function: textSchema('The code: its text, base64, or a URL, as function-content-type says.'),
    'function-content-type': textSchema(
      'What `function` holds: text (or nothing), base64, url, each of the last two also with ' +
        '+zip or +compressedtar, and +deps when the archive brings its dependency file.',
    ),
    checksum: textSchema('Digest of the code, as sha256:<hex>. Empty: it is not checked.'),
    runtime: textSchema(
      'What runs the code, such as nodejs14 or python3.7. Names that nothing runs any more are ' +
        'run by the nearest runtime that there is, and a condition says so.',
    ),
    timeout: {
      'x-kubernetes-int-or-string': true,
      description: 'How many seconds one call may take. Default is 180.',
    },
    deps: textSchema('Text of the dependency file, such as a package.json or requirements.txt.'),
    deployment: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description:
        'A Deployment that the one of the function is made from. What counts here: replicas, ' +
        'and of the Pod its environment, resources, Secrets and ConfigMaps as volumes, ' +
        'ServiceAccount, labels and annotations.',
    },
    service: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'The spec of a Service. Its ports and its type have no effect here.',
    },
    horizontalPodAutoscaler: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A HorizontalPodAutoscaler: its bounds and its target for CPU count.',
    },
  },
};

const statusSchema: FieldSchema<KubelessFunctionStatus> = {
  type: 'object',
  description: 'What became of the function. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    replicas: { type: 'integer', format: 'int32', description: 'Instances that are ready.' },
    url: textSchema('Where the function is called.'),
    conditions: conditionsSchema,
  },
};

const definition: KindDefinition<KubelessFunctionSpec, KubelessFunctionStatus> = {
  ...kubelessKind,
  kind: 'Function',
  plural: 'functions',
  description: 'A function of Kubeless. A Function of Fnlet with the same name runs it.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Handler', type: 'string', jsonPath: '.spec.handler' },
    { name: 'Runtime', type: 'string', jsonPath: '.spec.runtime' },
    readyColumn,
    {
      name: 'Reason',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].reason",
    },
  ],
};

/** How functions of Kubeless are addressed. */
export const kubelessFunctionType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const kubelessFunctionCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a function of Kubeless that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseKubelessFunction: (value: unknown) => KubelessFunctionObject =
  objectParser(definition);
