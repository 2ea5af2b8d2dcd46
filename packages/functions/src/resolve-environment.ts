import type { EnvFromSource, EnvVar, KeyReference } from '@fnlet/api';
import { canonicalJson, sha256 } from '@fnlet/base';
import type { ConfigMap, Secret } from './core-kinds.ts';

/** What a function's environment is declared as. */
export interface EnvironmentSpec {
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
}

/** The Secrets and ConfigMaps of the Function's namespace, by name. */
export interface EnvironmentLookup {
  secret(name: string): Secret | undefined;
  configMap(name: string): ConfigMap | undefined;
}

export type ResolvedEnvironment =
  | {
      readonly kind: 'resolved';
      readonly env: Readonly<Record<string, string>>;
      readonly digest: string;
    }
  /** What is missing, for people. */
  | { readonly kind: 'missing'; readonly message: string };

type Values = Readonly<Record<string, string>>;

/**
 * The complete environment of a function, and the digest that names it. `env` wins over `envFrom`,
 * later entries over earlier ones (core/v1 Container). Values are taken as they are: no `$(NAME)`.
 *
 * The digest covers the uid of every Secret, which is random and no more readable than the Secret:
 * so nobody who sees the digest can try values against it.
 */
export function resolveEnvironment(
  spec: EnvironmentSpec,
  lookup: EnvironmentLookup,
): ResolvedEnvironment {
  const reader = new EnvironmentReader(lookup);
  for (const source of spec.envFrom ?? []) reader.readAll(source);
  for (const variable of spec.env ?? []) reader.readOne(variable);
  if (reader.missing !== undefined) return { kind: 'missing', message: reader.missing };
  const env = Object.fromEntries(reader.values);
  return { kind: 'resolved', env, digest: sha256(canonicalJson([env, [...reader.salts].sort()])) };
}

class EnvironmentReader {
  readonly values = new Map<string, string>();
  readonly salts = new Set<string>();
  missing: string | undefined;
  readonly #lookup: EnvironmentLookup;

  constructor(lookup: EnvironmentLookup) {
    this.#lookup = lookup;
  }

  readAll({ prefix = '', secretRef, configMapRef }: EnvFromSource): void {
    for (const [kind, reference] of [
      ['Secret', secretRef],
      ['ConfigMap', configMapRef],
    ] as const) {
      if (reference === undefined) continue;
      const found = this.#object(kind, reference.name);
      if (found === undefined && reference.optional !== true) {
        this.missing ??= `${kind} "${reference.name}" does not exist: create it, or mark it optional`;
      }
      for (const [key, value] of Object.entries(found ?? {})) this.values.set(prefix + key, value);
    }
  }

  readOne({ name, value, valueFrom }: EnvVar): void {
    if (valueFrom === undefined) {
      this.values.set(name, value ?? '');
      return;
    }
    this.#readKey(name, 'Secret', valueFrom.secretKeyRef);
    this.#readKey(name, 'ConfigMap', valueFrom.configMapKeyRef);
  }

  #readKey(name: string, kind: 'Secret' | 'ConfigMap', reference: KeyReference | undefined): void {
    if (reference === undefined) return;
    const found = this.#object(kind, reference.name);
    const value = found?.[reference.key];
    if (value !== undefined) {
      this.values.set(name, value);
    } else if (reference.optional !== true) {
      const what =
        found === undefined
          ? `${kind} "${reference.name}" does not exist`
          : `${kind} "${reference.name}" has no key "${reference.key}"`;
      this.missing ??= `variable "${name}": ${what}: create it, or mark it optional`;
    }
  }

  #object(kind: 'Secret' | 'ConfigMap', name: string): Values | undefined {
    if (kind === 'ConfigMap') return configMapValues(this.#lookup.configMap(name));
    const secret = this.#lookup.secret(name);
    if (secret === undefined) return undefined;
    this.salts.add(secret.metadata.uid ?? '');
    return decode(secret.data);
  }
}

function configMapValues(configMap: ConfigMap | undefined): Values | undefined {
  if (configMap === undefined) return undefined;
  return { ...decode(configMap.binaryData), ...configMap.data };
}

// An environment holds text: bytes that are not UTF-8 cannot be carried by it.
function decode(data: Values | undefined): Values {
  return Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );
}
