import type { FieldSchema } from './field-schema.ts';
import { functionNameCharactersMax } from './limits.ts';
import {
  handlerSchema,
  installScriptsSchema,
  type RevisionTemplate,
  runtimeNameSchema,
  templateProperties,
} from './revision-template.ts';
import { type FunctionScale, scaleSchema } from './scale.ts';
import { sourceSchema } from './source.ts';

/** What of a Function an Operator can say for itself; see {@link RevisionTemplate}. */
type InlineFunction = Partial<
  Pick<
    RevisionTemplate,
    | 'runtime'
    | 'handler'
    | 'source'
    | 'dependencies'
    | 'allowInstallScripts'
    | 'env'
    | 'envFrom'
    | 'mounts'
    | 'resources'
  >
>;

/** Who says what is wanted: a Function by its name, or one that belongs to the Operator. */
export interface OperatorReconcile extends InlineFunction {
  /** Name of a Function in the namespace of the Operator. */
  readonly function?: string;
  readonly scale?: FunctionScale;
}

const { dependencies, env, envFrom, mounts, resources } = templateProperties;

const inlineNames = [
  'runtime',
  'handler',
  'source',
  'dependencies',
  'allowInstallScripts',
  'env',
  'envFrom',
  'mounts',
  'resources',
  'scale',
] as const;

export const operatorReconcileSchema: FieldSchema<OperatorReconcile> = {
  type: 'object',
  description:
    'Who says what is wanted: the name of a Function, or runtime and source of one that belongs to ' +
    'the Operator and has its name.',
  properties: {
    function: {
      type: 'string',
      description: 'Name of a Function in the namespace of the Operator.',
      minLength: 1,
      maxLength: functionNameCharactersMax,
    },
    runtime: runtimeNameSchema,
    handler: handlerSchema,
    source: sourceSchema,
    dependencies,
    allowInstallScripts: installScriptsSchema,
    ...{ env, envFrom, mounts, resources },
    scale: scaleSchema,
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.__function__) != (has(self.runtime) && has(self.source))',
      message: 'give either function, or runtime and source',
    },
    {
      rule: `!has(self.__function__) || !(${inlineNames.map((name) => `has(self.${name})`).join(' || ')})`,
      message: 'function names a Function that says everything else for itself',
    },
  ],
};
