import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  resourceTypeOf,
} from './kind-definition.ts';
import { builtinRuntimes, type KnownRuntime } from './known-runtime.ts';
import {
  envMax,
  envValueCharactersMax,
  filesMax,
  runtimeAliasesMax,
  runtimeCharactersMax,
  runtimeCommandMax,
  sourceCharactersMax,
} from './limits.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';

/** What somebody says about a runtime that they add. One that comes with Fnlet says nothing. */
export interface RuntimeSpec {
  readonly command?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly aliases?: readonly string[];
  readonly fileName?: string;
  readonly extensions?: readonly string[];
}

/** What was found of it. */
export interface RuntimeStatus {
  readonly observedGeneration?: number;
  readonly state?: string;
  readonly version?: string;
  readonly program?: string;
  readonly conditions?: readonly Condition[];
}

/** A Runtime as the API gives it. */
export type RuntimeObject = KindObject<RuntimeSpec, RuntimeStatus>;

const specSchema: FieldSchema<RuntimeSpec> = {
  type: 'object',
  description: 'How its Runner is started, and what sources for it look like.',
  properties: {
    command: {
      type: 'array',
      description:
        'What starts the Runner: a program, by absolute path or as the PATH of Fnlet has it, then ' +
        'its arguments. An argument that is the path of one of `files` stands for that file. ' +
        'Fnlet adds --socket, --host, --port and --cache. The program runs on the machine of ' +
        'Fnlet and as its user: whoever may write Runtimes may run programs there.',
      items: {
        type: 'string',
        description: 'Program or argument. Nothing in it is expanded.',
        minLength: 1,
        maxLength: 4096,
      },
      minItems: 1,
      maxItems: runtimeCommandMax,
    },
    files: {
      type: 'object',
      description:
        'Text of files that the Runner consists of, by path, such as runner.rb. They are stored ' +
        'beside each other before it is started.',
      additionalProperties: {
        type: 'string',
        description: 'Text of the file.',
        maxLength: sourceCharactersMax,
      },
      maxProperties: filesMax,
    },
    env: {
      type: 'object',
      description:
        'The whole environment of the Runner until it is given the code of a Function, such as ' +
        'PATH or GEM_PATH. It inherits nothing. What a Function declares comes with its code.',
      additionalProperties: {
        type: 'string',
        description: 'The value.',
        maxLength: envValueCharactersMax,
      },
      maxProperties: envMax,
    },
    aliases: {
      type: 'array',
      description: 'Other names by which Functions may ask for it, such as ruby3.1.',
      items: {
        type: 'string',
        description: 'A name.',
        minLength: 1,
        maxLength: runtimeCharactersMax,
      },
      maxItems: runtimeAliasesMax,
      'x-kubernetes-list-type': 'set',
    },
    fileName: {
      type: 'string',
      description:
        'Name of the file that an inline source is stored as, such as handler.rb. Default: ' +
        'handler, with the first of `extensions`.',
      minLength: 1,
      maxLength: 255,
      pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]*$',
    },
    extensions: {
      type: 'array',
      description:
        'Endings of its source files, such as .rb: by them fnlet deploy knows the runtime of a ' +
        'file.',
      items: {
        type: 'string',
        description: 'An ending, with its dot.',
        pattern: '^[.][A-Za-z0-9]+$',
        maxLength: 32,
      },
      maxItems: runtimeAliasesMax,
      'x-kubernetes-list-type': 'set',
    },
  },
};

const statusSchema: FieldSchema<RuntimeStatus> = {
  type: 'object',
  description: 'What Fnlet found of the runtime when it looked last. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    state: {
      type: 'string',
      description:
        'own: the Node.js that runs Fnlet; found: installed on the machine; fetched: from the npm ' +
        'registry; fetchable: it will be, when a Function first names it; absent: somebody has ' +
        'to install it.',
    },
    version: {
      type: 'string',
      description: 'Release of its program, where that is known without running it.',
    },
    program: { type: 'string', description: 'Path of its program.' },
    conditions: conditionsSchema,
  },
};

const builtinNames = builtinRuntimes.map(({ name }) => name);

const definition: KindDefinition<RuntimeSpec, RuntimeStatus> = {
  kind: 'Runtime',
  plural: 'runtimes',
  scope: 'Cluster',
  shortNames: ['rt'],
  categories: ['fnlet'],
  description:
    'A Runtime is what runs the code of Functions: a program, the Runner, that Fnlet starts and ' +
    'gives the code to. Some come with Fnlet; others can be added with a command.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Program', type: 'string', jsonPath: '.status.program' },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Available")].message',
      priority: 1,
    },
  ],
  name: {
    type: 'string',
    description: 'What Functions ask for.',
    maxLength: runtimeCharactersMax,
    pattern: '^[a-z]',
  },
  rules: [
    {
      rule: `has(self.spec.command) != (self.metadata.name in ${JSON.stringify(builtinNames)})`,
      message:
        'give a command, and a name that is none of those that come with Fnlet: ' +
        builtinNames.join(', '),
    },
  ],
};

/** How Runtimes are addressed. */
export const runtimeType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const runtimeCrd: CustomResourceDefinition = customResourceDefinition(definition);

/** What a Runtime says that was added. */
export function knownRuntime({ metadata: { name }, spec }: RuntimeObject): KnownRuntime {
  const { aliases = [], extensions = [], fileName } = spec;
  return { name, aliases, extensions, fileName: fileName ?? `handler${extensions[0] ?? ''}` };
}
