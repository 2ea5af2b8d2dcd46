import type { FunctionSpec } from '@fnlet/api';
import type { KymaFunctionSpec } from '@fnlet/api/kyma';

type FunctionResources = NonNullable<FunctionSpec['resources']>;

/** What an Instance may use. */
export interface KymaBounds {
  readonly resources: FunctionResources;
  /** As Kyma's status calls it. */
  readonly profile: string;
  readonly notices: readonly string[];
}

const profiles = ['XS', 'S', 'M', 'L', 'XL'] as const;

/** What Kyma takes when nothing is said. */
const defaultProfile = 'L';

/** The preset of a Kyma Function, whose values are Fnlet's too, or its own numbers. */
export function planKymaResources({ resourceConfiguration }: KymaFunctionSpec): KymaBounds {
  const { profile: asked, resources } = resourceConfiguration?.function ?? {};
  if (resources === undefined) {
    const profile = profiles.find((name) => name === asked) ?? defaultProfile;
    return { resources: { profile }, profile, notices: [] };
  }
  const { limits = {}, requests = {}, claims = [] } = resources;
  const others = [...Object.keys(limits), ...Object.keys(requests)]
    .filter((name) => name !== 'cpu' && name !== 'memory')
    .concat(claims.map(({ name }) => `claim ${name}`));
  return {
    resources: {
      ...(Object.keys(requests).length === 0 ? {} : { requests: cpuAndMemory(requests) }),
      ...(Object.keys(limits).length === 0 ? {} : { limits: cpuAndMemory(limits) }),
    },
    profile: 'custom',
    notices: [...new Set(others)].map(
      (name) => `resourceConfiguration.function.resources: ${name} has no counterpart`,
    ),
  };
}

type Quantities = Readonly<Record<string, string | number>>;

function cpuAndMemory({ cpu, memory }: Quantities): {
  readonly cpu?: string | number;
  readonly memory?: string | number;
} {
  return {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memory === undefined ? {} : { memory }),
  };
}
