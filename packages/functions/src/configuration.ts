import {
  type FunctionReason,
  findResourceMistake,
  functionReasons,
  type RevisionTemplate,
} from '@fnlet/api';
import type { Client } from '@fnlet/client';
import type { VolumeFile } from '@fnlet/executor';
import { planMountFiles } from './plan-mount-files.ts';
import { readEnvironment } from './read-environment.ts';
import { resolveEnvironment } from './resolve-environment.ts';

/** What a Revision finds around its code, as it is now. */
export interface Configuration {
  readonly kind: 'complete';
  readonly env: Readonly<Record<string, string>>;
  /** Names the environment: another one makes another Revision. */
  readonly digest: string;
  /** These change in a running function. */
  readonly mounts: readonly PlannedMount[];
}

/** A directory that the function sees, and its files. */
export interface PlannedMount {
  readonly path: string;
  /** Tells mounts of the same files. */
  readonly content: string;
  readonly files: readonly VolumeFile[];
}

/** Why there is none. */
export interface Unconfigured {
  readonly kind: 'blocked';
  readonly reason: FunctionReason;
  readonly message: string;
}

type ConfigurationSpec = Pick<RevisionTemplate, 'env' | 'envFrom' | 'mounts' | 'resources'>;

/** Reads what a Function or Revision of this namespace names. */
export async function readConfiguration(
  client: Client,
  { namespace, spec }: { readonly namespace: string; readonly spec: ConfigurationSpec },
  signal: AbortSignal,
): Promise<Configuration | Unconfigured> {
  const mistake = findResourceMistake(spec.resources ?? {});
  if (mistake !== undefined) {
    return blocked(functionReasons.resourcesInvalid, `Cannot use spec.resources: ${mistake}`);
  }
  const lookup = await readEnvironment(client, { namespace, spec }, signal);
  const environment = resolveEnvironment(spec, lookup);
  if (environment.kind === 'missing') {
    return blocked(functionReasons.environmentNotFound, environment.message);
  }
  const mounts: PlannedMount[] = [];
  for (const mount of spec.mounts ?? []) {
    const planned = planMountFiles(mount, lookup);
    if (planned.kind === 'missing') {
      return blocked(functionReasons.environmentNotFound, planned.message);
    }
    const { path, ...source } = mount;
    mounts.push({ path, content: JSON.stringify(source), files: planned.files });
  }
  const { env, digest } = environment;
  return { kind: 'complete', env, digest, mounts };
}

function blocked(reason: FunctionReason, message: string): Unconfigured {
  return { kind: 'blocked', reason, message };
}
