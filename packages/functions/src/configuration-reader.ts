import {
  type FunctionReason,
  findResourceMistake,
  functionReasons,
  type Mount,
  type RevisionTemplate,
} from '@fnlet/api';
import type { Client } from '@fnlet/client';
import type { VolumeFile } from '@fnlet/executor';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import type { AccountTokens } from './account-tokens.ts';
import { type Secret, secretType, serviceAccountType } from './core-kinds.ts';
import { planMountFiles } from './plan-mount-files.ts';
import { readEnvironment } from './read-environment.ts';
import { type EnvironmentLookup, resolveEnvironment } from './resolve-environment.ts';

/** What a Revision finds around its code, as it is now. */
export interface Configuration {
  readonly kind: 'complete';
  readonly env: Readonly<Record<string, string>>;
  /** Names the environment: another one makes another Revision. */
  readonly digest: string;
  /** These change in a running function. */
  readonly mounts: readonly PlannedMount[];
  /** What packages are installed with, from now on. */
  readonly registry: Registry;
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

type ConfigurationSpec = Pick<
  RevisionTemplate,
  | 'env'
  | 'envFrom'
  | 'mounts'
  | 'resources'
  | 'serviceAccountName'
  | 'source'
  | 'dependencies'
  | 'compatibility'
>;

export interface ConfigurationReaderOptions {
  readonly client: Client;
  /**
   * Tokens of accounts. Default: Instances are Pods, which have mounts and tokens from their
   * kubelet; here it is only seen to that what they name exists.
   */
  readonly accounts?: Pick<AccountTokens, 'get'> | undefined;
  /** Where functions that act as an account find the API. */
  readonly api: ApiAddress;
}

/** The API as functions reach it. */
export interface ApiAddress {
  readonly host: string;
  readonly port: string;
  /** The certificate of its authority. */
  readonly caPem: string;
}

/** Where client libraries look for what an account proves itself with. */
const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The Secret of a namespace in which its package registries are described, as Kyma has it. */
export const registrySecret = 'serverless-package-registry-config';

/** Reads what Functions and Revisions name. */
export class ConfigurationReader {
  readonly #options: ConfigurationReaderOptions;

  constructor(options: ConfigurationReaderOptions) {
    this.#options = options;
  }

  /** What a Function or Revision of this namespace finds around its code. */
  async read(
    { namespace, spec }: { readonly namespace: string; readonly spec: ConfigurationSpec },
    signal: AbortSignal,
  ): Promise<Configuration | Unconfigured> {
    const mistake = findResourceMistake(spec.resources ?? {});
    if (mistake !== undefined) {
      return blocked(functionReasons.resourcesInvalid, `Cannot use spec.resources: ${mistake}`);
    }
    const lookup = await readEnvironment(this.#options.client, { namespace, spec }, signal);
    const environment = resolveEnvironment(spec, lookup);
    if (environment.kind === 'missing') {
      return blocked(functionReasons.environmentNotFound, environment.message);
    }
    const mounts = planMounts(spec.mounts ?? [], lookup);
    if ('kind' in mounts) return mounts;
    const { env, digest } = environment;
    const { serviceAccountName: name } = spec;
    const registry = mayInstall(spec) ? await this.#readRegistry(namespace, signal) : {};
    const own = this.#options.accounts === undefined ? [] : mounts;
    if (name === undefined) return { kind: 'complete', env, digest, mounts: own, registry };
    const account = await this.#readAccount({ namespace, name }, signal);
    if (account === undefined) {
      const message = `ServiceAccount "${name}" does not exist: create it, or name another one`;
      return blocked(functionReasons.serviceAccountNotFound, message);
    }
    const { host, port } = this.#options.api;
    const address = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
    return {
      kind: 'complete',
      env: { ...address, ...env },
      digest,
      mounts: [...own, ...account],
      registry,
    };
  }

  /** How the package registries of a namespace are reached, as its .npmrc and pip.conf say. */
  async #readRegistry(namespace: string, signal: AbortSignal): Promise<Registry> {
    const secrets = this.#options.client.of<Secret>(secretType);
    const found = await secrets.tryGet({ namespace, name: registrySecret }, { signal });
    const read = (key: string): string | undefined => {
      const value = found?.data?.[key];
      return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
    };
    return { npmrc: read('.npmrc'), pipConf: read('pip.conf') };
  }

  /** What an account proves itself with; `undefined`: there is none of this name. */
  async #readAccount(
    account: ObjectKey,
    signal: AbortSignal,
  ): Promise<readonly PlannedMount[] | undefined> {
    const { client, accounts, api } = this.#options;
    if (accounts === undefined) {
      const found = await client.of<KubeObject>(serviceAccountType).tryGet(account, { signal });
      return found && [];
    }
    const token = await accounts.get(account, signal);
    if (token === undefined) return undefined;
    const file = (path: string, text: string, mode: number): VolumeFile => {
      return { path, content: Buffer.from(text), mode };
    };
    const files = [
      file('token', token, 0o600),
      file('ca.crt', api.caPem, 0o644),
      file('namespace', account.namespace, 0o644),
    ];
    return [{ path: accountDirectory, content: `account ${account.name}`, files }];
  }
}

/** What is needed to install packages from registries that ask who one is. */
export interface Registry {
  readonly npmrc?: string | undefined;
  readonly pipConf?: string | undefined;
}

// One file of code and nothing else needs no package, but those of the images of others.
function mayInstall({ source, dependencies, compatibility }: ConfigurationSpec): boolean {
  return dependencies !== undefined || source.inline === undefined || compatibility !== undefined;
}

function planMounts(
  wanted: readonly Mount[],
  lookup: EnvironmentLookup,
): readonly PlannedMount[] | Unconfigured {
  const mounts: PlannedMount[] = [];
  for (const mount of wanted) {
    const planned = planMountFiles(mount, lookup);
    if (planned.kind === 'missing') {
      return blocked(functionReasons.environmentNotFound, planned.message);
    }
    const { path, ...source } = mount;
    mounts.push({ path, content: JSON.stringify(source), files: planned.files });
  }
  return mounts;
}

function blocked(reason: FunctionReason, message: string): Unconfigured {
  return { kind: 'blocked', reason, message };
}
