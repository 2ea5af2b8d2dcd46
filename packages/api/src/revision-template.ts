import { type EnvFromSource, type EnvVar, envFromSchema, envSchema } from './environment.ts';
import type { FieldSchema } from './field-schema.ts';
import { labelPrefix } from './labels.ts';
import { dependenciesCharactersMax, podLabelsMax, runtimeCharactersMax } from './limits.ts';
import { type Mount, mountsSchema } from './mount.ts';
import {
  developmentSchema,
  type ExecutorName,
  executorSchema,
  imageOverrideSchema,
  type PodSettings,
  podSchema,
} from './pod-settings.ts';
import { type FunctionResources, resourcesSchema } from './resources.ts';
import { type FunctionSource, sourceSchema } from './source.ts';

/** The systems whose ways a Function can keep. */
const compatibilities = ['kyma', 'kubeless'] as const;

/** Name of a system whose ways a Function keeps, as `spec.compatibility` has it. */
export type Compatibility = (typeof compatibilities)[number];

/**
 * The part of a Function that a Revision freezes: everything that affects how the code behaves and
 * what its Pods look like. How many Instances there are (`scale`)
 * and which of them is called (`affinity`) are not part of it.
 */
export interface RevisionTemplate {
  /** As its author wrote it; `resolveRuntime` says which one that means. */
  readonly runtime: string;
  readonly handler: string;
  readonly compatibility?: Compatibility;
  readonly source: FunctionSource;
  readonly dependencies?: string;
  readonly allowInstallScripts: boolean;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly mounts?: readonly Mount[];
  readonly resources?: FunctionResources;
  readonly serviceAccountName?: string;
  readonly executor?: ExecutorName;
  readonly development?: boolean;
  readonly imageOverride?: string;
  readonly pod?: PodSettings;
  readonly timeout: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

type TemplateSchema = Extract<
  FieldSchema<RevisionTemplate>,
  { readonly properties: unknown }
>['properties'];

/** Schema of {@link RevisionTemplate.runtime}, wherever that is said. */
export const runtimeNameSchema: FieldSchema<string> = {
  type: 'string',
  description:
    'What runs the code. nodejs22, nodejs24 and nodejs26 run TypeScript and JavaScript on that ' +
    'release of Node.js, which is fetched once where it is not there; python3.11 … python3.14 ' +
    '(or python311 …) run Python as it is installed on the machine. Retired names such as ' +
    'nodejs18 or python3.9 run on the nearest release that the machine has; the status says ' +
    'so. Runtime objects add others: kubectl get runtimes lists what there is.',
  minLength: 1,
  maxLength: runtimeCharactersMax,
  pattern: '^[A-Za-z][A-Za-z0-9]*([._-][A-Za-z0-9]+)*$',
};

/** Schema of {@link RevisionTemplate.handler}, wherever that is said. */
export const handlerSchema: FieldSchema<string> = {
  type: 'string',
  description:
    'What answers calls. For Node.js `default` is the default export (or `main` of a CommonJS ' +
    'module), for Python the first of handler, main, app and application; any other name is ' +
    'that export, function or object. `module.name` names the file too, without its ending. ' +
    'Runtimes that were added say for themselves what default is.',
  minLength: 1,
  maxLength: 253,
};

/** Schema of {@link RevisionTemplate.allowInstallScripts}, wherever that is said. */
export const installScriptsSchema: FieldSchema<boolean> = {
  type: 'boolean',
  description:
    'Whether packages may run their own scripts while they are installed. Few need it, ' +
    'mostly those that compile native code.',
};

/** Schemas of the fields of {@link RevisionTemplate}, used by both kinds. */
export const templateProperties: TemplateSchema = {
  runtime: { ...runtimeNameSchema, required: true },
  handler: { ...handlerSchema, default: 'default' },
  compatibility: {
    type: 'string',
    description:
      'The system that the code was written for. The function is called, answered, configured ' +
      'and named as that system did it: kyma (Kyma Functions) or kubeless. Leave it out for ' +
      "code that follows Fnlet's own rules.",
    enum: compatibilities,
  },
  source: { ...sourceSchema, required: true },
  dependencies: {
    type: 'string',
    description:
      'Text of a package.json, for Python of a requirements.txt, whose dependencies are ' +
      'installed, once for all Instances. Default: that file among the files, if there is one.',
    minLength: 1,
    maxLength: dependenciesCharactersMax,
  },
  allowInstallScripts: { ...installScriptsSchema, default: false },
  env: envSchema,
  envFrom: envFromSchema,
  mounts: mountsSchema,
  resources: resourcesSchema,
  serviceAccountName: {
    type: 'string',
    description:
      'The ServiceAccount that the function acts as. It then finds the token, ca.crt and ' +
      'namespace of the account where client libraries look for them, and the address of the ' +
      'API in KUBERNETES_SERVICE_HOST and _PORT. Default: the function has no account.',
    minLength: 1,
    maxLength: 253,
    pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
  },
  executor: executorSchema,
  development: developmentSchema,
  imageOverride: imageOverrideSchema,
  pod: podSchema,
  timeout: {
    type: 'string',
    description:
      'How long one call may take until its answer begins, and a streamed answer may then be ' +
      'silent, such as 30s, 500ms or 1m30s, at most 1h. A call that takes longer is cancelled, ' +
      'it alone, and answered with 408.',
    maxLength: 32,
    pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$',
    default: '30s',
    'x-kubernetes-validations': [
      {
        rule: "duration(self) > duration('0s') && duration(self) <= duration('1h')",
        message: 'timeout must be more than 0s and at most 1h',
      },
    ],
  },
  labels: podLabels('Labels', 'labels'),
  annotations: podLabels('Annotations', 'annotations'),
};

function podLabels(title: string, noun: string): FieldSchema<Readonly<Record<string, string>>> {
  return {
    type: 'object',
    description: `${title} for the Pods of the Function. A change gives a new Revision.`,
    additionalProperties: { type: 'string', description: 'The value.' },
    maxProperties: podLabelsMax,
    'x-kubernetes-validations': [
      {
        rule: `self.all(name, !name.startsWith('${labelPrefix}'))`,
        message: `${noun} with the prefix ${labelPrefix} are reserved: choose a prefix of your own`,
      },
    ],
  };
}
