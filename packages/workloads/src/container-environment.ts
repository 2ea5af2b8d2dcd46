import { downwardField, expandVariables, type PodPlace, resourceField } from '@fnlet/machinery';
import type {
  Container,
  EnvironmentSource,
  EnvironmentVariable,
  KeyReference,
} from './container.ts';
import type { Pod } from './pod.ts';
import { configMapBytes, type ReferencedObjects, secretBytes } from './pod-references.ts';

export interface EnvironmentContext {
  readonly pod: Pod;
  readonly place: PodPlace;
  readonly objects: ReferencedObjects;
  /** Variables that every container gets; its own win. */
  readonly base: Readonly<Record<string, string>>;
}

/** All variables of a container, or what is missing for them, in a kubelet's words. */
export type EnvironmentOutcome =
  | { readonly kind: 'complete'; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly message: string };

/** A reference that leads nowhere ends the whole resolution. */
class Missing {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/**
 * The environment of a container: first what `envFrom` brings, then `env`, where a value may use
 * `$(NAME)` of what stands before it (kubelet, makeEnvironmentVariables).
 */
export function resolveContainerEnvironment(
  container: Container,
  context: EnvironmentContext,
): EnvironmentOutcome {
  const env: Record<string, string> = {};
  for (const source of container.envFrom ?? []) {
    const found = sourceVariables(source, context);
    if (found instanceof Missing) return { kind: 'missing', message: found.message };
    Object.assign(env, found);
  }
  const lookup = (name: string): string | undefined =>
    Object.hasOwn(env, name) ? env[name] : context.base[name];
  for (const variable of container.env ?? []) {
    const value = variableValue(variable, { container, context, lookup });
    if (value instanceof Missing) return { kind: 'missing', message: value.message };
    if (value !== undefined) env[variable.name] = value;
  }
  return { kind: 'complete', env: { ...context.base, ...env } };
}

function sourceVariables(
  { prefix = '', configMapRef, secretRef }: EnvironmentSource,
  { pod, objects }: EnvironmentContext,
): Record<string, string> | Missing {
  const reference = configMapRef ?? secretRef;
  if (reference === undefined) return {};
  const isSecret = configMapRef === undefined;
  const object = isSecret
    ? objects.secrets.get(reference.name)
    : objects.configMaps.get(reference.name);
  if (object === undefined) {
    if (reference.optional === true) return {};
    return new Missing(notFound(isSecret ? 'secret' : 'configmap', pod, reference.name));
  }
  const variables: Record<string, string> = {};
  for (const key of Object.keys(object.data ?? {})) {
    const bytes = isSecret ? secretBytes(object, key) : configMapBytes(object, key);
    variables[prefix + key] = Buffer.from(bytes ?? []).toString();
  }
  return variables;
}

interface VariableContext {
  readonly container: Container;
  readonly context: EnvironmentContext;
  readonly lookup: (name: string) => string | undefined;
}

function variableValue(
  { name, value, valueFrom }: EnvironmentVariable,
  { container, context, lookup }: VariableContext,
): string | undefined | Missing {
  const { pod, place, objects } = context;
  if (valueFrom === undefined) return expandVariables(value ?? '', lookup);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    const found = downwardField(pod, fieldRef.fieldPath, place);
    return found ?? new Missing(`unsupported fieldPath: ${fieldRef.fieldPath}`);
  }
  if (resourceFieldRef !== undefined) {
    const { resources = {} } = ownerOf(resourceFieldRef, pod, container);
    const found = resourceField(resources, resourceFieldRef, place);
    return found ?? new Missing(`unsupported resource of variable ${name}`);
  }
  if (configMapKeyRef !== undefined) {
    const object = objects.configMaps.get(configMapKeyRef.name);
    const bytes = object && configMapBytes(object, configMapKeyRef.key);
    return keyValue(bytes, { kind: 'configmap', pod, reference: configMapKeyRef, object });
  }
  if (secretKeyRef !== undefined) {
    const object = objects.secrets.get(secretKeyRef.name);
    const bytes = object && secretBytes(object, secretKeyRef.key);
    return keyValue(bytes, { kind: 'secret', pod, reference: secretKeyRef, object });
  }
  return new Missing(`variable ${name} has a source that is not known here`);
}

function ownerOf(
  { containerName }: { readonly containerName?: string },
  { spec }: Pod,
  self: Container,
): Container {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return all.find(({ name }) => name === containerName) ?? self;
}

function keyValue(
  bytes: Uint8Array | undefined,
  about: {
    readonly kind: 'configmap' | 'secret';
    readonly pod: Pod;
    readonly reference: KeyReference;
    readonly object: object | undefined;
  },
): string | undefined | Missing {
  const { kind, pod, reference, object } = about;
  if (bytes !== undefined) return Buffer.from(bytes).toString();
  if (reference.optional === true) return undefined;
  if (object === undefined) return new Missing(notFound(kind, pod, reference.name));
  const word = kind === 'secret' ? 'Secret' : 'ConfigMap';
  const { namespace = '' } = pod.metadata;
  return new Missing(
    `couldn't find key ${reference.key} in ${word} ${namespace}/${reference.name}`,
  );
}

function notFound(kind: 'configmap' | 'secret', _pod: Pod, name: string): string {
  return `${kind} "${name}" not found`;
}
