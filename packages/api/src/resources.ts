import { parseQuantity, quantityValue } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';

/** A quantity of Kubernetes, such as `100m` or `64Mi`. */
export type QuantityText = string | number;

/** CPU and memory, as quantities. */
export interface ResourceList {
  readonly cpu?: QuantityText;
  readonly memory?: QuantityText;
}

/** Names of the presets; their values are those of Kyma. */
const profiles = ['XS', 'S', 'M', 'L', 'XL'] as const;

/** Name of a preset, as `spec.resources.profile` has it. */
export type ResourceProfile = (typeof profiles)[number];

/** What one Instance asks for and may take: a preset, or numbers. */
export interface FunctionResources {
  readonly profile?: ResourceProfile;
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

/** {@link FunctionResources} with the preset looked up; what is left out has no bound. */
export interface ResolvedResources {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
  /** Cores that an Instance may use at most. */
  readonly cpuCoresMax?: number;
  /** Memory that an Instance may use at most. */
  readonly memoryBytesMax?: number;
}

const presets: Readonly<Record<ResourceProfile, readonly [ResourceList, ResourceList]>> = {
  XS: [
    { cpu: '50m', memory: '64Mi' },
    { cpu: '150m', memory: '256Mi' },
  ],
  S: [
    { cpu: '100m', memory: '128Mi' },
    { cpu: '200m', memory: '256Mi' },
  ],
  M: [
    { cpu: '200m', memory: '256Mi' },
    { cpu: '400m', memory: '512Mi' },
  ],
  L: [
    { cpu: '400m', memory: '512Mi' },
    { cpu: '800m', memory: '1Gi' },
  ],
  XL: [
    { cpu: '800m', memory: '1Gi' },
    { cpu: '1600m', memory: '2Gi' },
  ],
};

// A rule in CEL would be too dear for the API server: it reckons with texts of any length here.
function quantity(description: string, minimum: number): FieldSchema<QuantityText> {
  return {
    'x-kubernetes-int-or-string': true,
    description,
    maxLength: 32,
    pattern: '^[+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([munkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$',
    minimum,
    maximum: 2_000_000_000_000,
  };
}

function resourceList(
  what: string,
  least: Readonly<Record<'cpu' | 'memory', number>>,
): FieldSchema<ResourceList> {
  return {
    type: 'object',
    description: `What one Instance ${what}.`,
    properties: {
      cpu: quantity('CPU, in cores or thousandths of one, such as 2 or 150m.', least.cpu),
      memory: quantity('Memory, such as 256Mi.', least.memory),
    },
  };
}

// The kernel counts CPU in quotas of a millisecond in a period of a hundred; below 16 MiB no runtime
// starts, and a number without a unit is most often meant as mebibytes.
const leastLimits = {
  cpu: { text: '10m', value: 0.01 },
  memory: { text: '16Mi', value: 16 * 1024 * 1024 },
} as const;

export const resourcesSchema: FieldSchema<FunctionResources> = {
  type: 'object',
  description:
    'What one Instance asks for and may take, with everything that it starts. Over its memory it ' +
    'is killed, it alone (OOMKilled); over its CPU it is slowed down. Default: no bounds.',
  properties: {
    profile: {
      type: 'string',
      description:
        'A preset, as requests and limits of CPU and memory: XS 50m 64Mi to 150m 256Mi; ' +
        'S 100m 128Mi to 200m 256Mi; M 200m 256Mi to 400m 512Mi; L 400m 512Mi to 800m 1Gi; ' +
        'XL 800m 1Gi to 1600m 2Gi.',
      enum: profiles,
    },
    requests: resourceList('asks for, which a scheduler keeps free for it', {
      cpu: 0,
      memory: 0,
    }),
    limits: resourceList('may take at most', { cpu: 1, memory: leastLimits.memory.value }),
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.profile) || !(has(self.requests) || has(self.limits))',
      message: 'give either profile or requests and limits, not both',
    },
  ],
};

/** Resolves resources that have passed their schema. As Kubernetes does, a limit is also asked for. */
export function resolveResources(resources: FunctionResources = {}): ResolvedResources {
  const { profile } = resources;
  const [requests = {}, limits = {}] =
    profile === undefined ? [resources.requests, resources.limits] : presets[profile];
  const cpuCoresMax = toNumber(limits.cpu);
  const memoryBytesMax = toNumber(limits.memory);
  return {
    requests: { ...toText(limits), ...toText(requests) },
    limits: toText(limits),
    ...(cpuCoresMax === undefined ? {} : { cpuCoresMax }),
    ...(memoryBytesMax === undefined ? {} : { memoryBytesMax }),
  };
}

/** What is wrong with resources that have passed their schema, if anything. */
export function findResourceMistake({
  requests = {},
  limits = {},
}: FunctionResources): string | undefined {
  for (const name of ['cpu', 'memory'] as const) {
    const [request, limit] = [toNumber(requests[name]), toNumber(limits[name])];
    const { text, value } = leastLimits[name];
    if (limit !== undefined && limit < value) {
      return `the limit of ${name} is ${limits[name]}, expected at least ${text}`;
    }
    if (limit !== undefined && request !== undefined && request > limit) {
      return `the request of ${name} is ${requests[name]}, expected at most its limit ${limits[name]}`;
    }
  }
  return undefined;
}

function toText({ cpu, memory }: ResourceList): Readonly<Record<string, string>> {
  return {
    ...(cpu === undefined ? {} : { cpu: String(cpu) }),
    ...(memory === undefined ? {} : { memory: String(memory) }),
  };
}

function toNumber(text: QuantityText | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseQuantity(text);
  return parsed === undefined ? undefined : quantityValue(parsed);
}
