/**
 * Where a Service is reached from outside, as Kyma's module API Gateway has it. Its versions have
 * different shapes, and objects are kept as they were written: what is in them is for the
 * translation to judge.
 */
import { isJsonObject } from '@fnlet/base';
import {
  type Condition,
  type CustomResourceDefinition,
  formatApiVersion,
  type ResourceType,
} from '@fnlet/machinery';
import type { FieldSchema } from '../field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from '../kind-definition.ts';
import { conditionsSchema, observedGenerationSchema } from '../status-schema.ts';

/** What became of it; v1beta1 tells it in `APIRuleStatus`. */
export interface ApiRuleStatus {
  readonly observedGeneration?: number;
  readonly state?: string;
  readonly description?: string;
  readonly APIRuleStatus?: { readonly code?: string; readonly desc?: string };
  readonly conditions?: readonly Condition[];
}

/** What is asked for, in the words of any version. */
export type ApiRuleSpec = Readonly<Record<string, unknown>>;

/** An APIRule of Kyma as the API gives it. */
export type ApiRuleObject = KindObject<ApiRuleSpec, ApiRuleStatus>;

const text = (description: string): FieldSchema<string> => ({ type: 'string', description });

const definition: KindDefinition<ApiRuleSpec, ApiRuleStatus> = {
  group: 'gateway.kyma-project.io',
  version: 'v2',
  kind: 'APIRule',
  plural: 'apirules',
  shortNames: [],
  categories: ['kyma-api-gateway'],
  description: 'An APIRule of Kyma. Triggers of Fnlet do it, one for each of its rules.',
  spec: {
    type: 'object',
    description: 'Hosts, Service and rules: paths, methods, and noAuth or jwt for each.',
    additionalProperties: {
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A field of some version of the kind.',
    },
  },
  status: {
    type: 'object',
    description: 'What became of it. Written by Fnlet only.',
    properties: {
      observedGeneration: observedGenerationSchema,
      state: text('Ready, Processing or Error.'),
      description: text('Why.'),
      APIRuleStatus: {
        type: 'object',
        description: 'The same, in the words of v1beta1.',
        properties: { code: text('OK or ERROR.'), desc: text('Why.') },
      },
      conditions: conditionsSchema,
    },
  },
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.state' },
    { name: 'Hosts', type: 'string', jsonPath: '.spec.hosts' },
  ],
};

/** How APIRules are addressed. */
export const apiRuleType: ResourceType = resourceTypeOf(definition);

const stored = customResourceDefinition(definition);

/** The manifest that teaches a cluster the kind, in all its versions. */
export const apiRuleCrd: CustomResourceDefinition = {
  ...stored,
  spec: {
    ...stored.spec,
    get versions() {
      return stored.spec.versions.flatMap((own) => [
        own,
        ...['v2alpha1', 'v1beta1'].map((name) => ({ ...own, name, storage: false })),
      ]);
    },
  },
};

const parse = objectParser(definition);

/**
 * Reads an APIRule that comes from the API or from a file, in any version.
 *
 * @throws ApiError `UnexpectedShape`
 */
export function parseApiRule(value: unknown): ApiRuleObject {
  const apiVersion = formatApiVersion(apiRuleType);
  return parse(isJsonObject(value) ? { ...value, apiVersion } : value);
}
