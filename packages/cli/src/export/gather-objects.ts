import {
  brokerType,
  builtinRuntimes,
  functionType,
  operatorType,
  runtimeType,
  triggerType,
} from '@fnlet/api';
import { hasCode, isJsonObject } from '@fnlet/base';
import { type Client, type Discovery, discover } from '@fnlet/client';
import { type KubeObject, parseApiVersion, type ResourceType } from '@fnlet/machinery';
import { clusterTypes } from '../install/cluster-connection.ts';
import { installedDefinitions } from '../install/plan-install.ts';
import { type ObjectReference, type ReferredKind, referencesOf } from './object-reference.ts';
import { orderManifests, planManifest } from './plan-manifest.ts';
import { nameOf, selectObjects } from './select-objects.ts';

export interface GatherOptions {
  readonly client: Client;
  /** `undefined`: all of them. */
  readonly namespace: string | undefined;
  /** As `name` or `kind/name`; none for everything that there is. */
  readonly names: readonly string[];
  /** Whether values of Secrets are wanted, too. */
  readonly withSecrets: boolean;
  readonly signal: AbortSignal;
}

/** What there is to bring elsewhere. */
export interface Gathered {
  /** With the namespaces that they are in, those that others name first. */
  readonly objects: readonly KubeObject[];
  /** What was left out, and why. */
  readonly notices: readonly string[];
  /** Objects that cannot be brought elsewhere as they are, and why. */
  readonly refused: readonly string[];
  /** Secrets that are named and not among the objects. */
  readonly secretsLeft: readonly KubeObject['metadata'][];
  /** Names that nothing has. */
  readonly unknown: readonly string[];
}

/** Reads Functions, Triggers, Operators and Brokers, and what they name. */
export async function gatherObjects(options: GatherOptions): Promise<Gathered> {
  const kinds = [functionType, operatorType, brokerType, triggerType];
  const lists = await Promise.all(kinds.map((type) => listAll(options, type)));
  const all = lists.flat();
  const { selected, unknown } = selectObjects(
    all.filter((object) => makerOf(object) === undefined),
    options.names,
  );
  const made = new Map(
    all.flatMap((object) => {
      const maker = makerOf(object);
      const words = [object.metadata.name, nameOf(object)] as const;
      return maker === undefined ? [] : words.map((word) => [word, maker] as const);
    }),
  );
  const notices = unknown.flatMap((name) => {
    const maker = made.get(name);
    return maker === undefined ? [] : [`${name} is made by ${maker}, and is left out`];
  });
  const kept = selected.filter((object) => refusalOf(object) === undefined);
  const named = await readNamed(options, kept);
  const around = [
    ...(await readDefinitions(options, kept)),
    ...(await readRuntimes(options, kept)),
  ];
  const objects = [...kept, ...named.objects, ...around].map((object) =>
    planManifest(object, object.metadata.namespace),
  );
  return {
    objects: orderManifests(objects),
    notices: [...notices, ...named.notices],
    refused: selected.flatMap((object) => refusalOf(object) ?? []),
    secretsLeft: named.secretsLeft,
    unknown: unknown.filter((name) => !made.has(name)),
  };
}

async function listAll(
  { client, namespace, signal }: Pick<GatherOptions, 'client' | 'namespace' | 'signal'>,
  type: ResourceType,
): Promise<readonly KubeObject[]> {
  try {
    return await Array.fromAsync(client.of<KubeObject>(type).listAll({ namespace, signal }));
  } catch (error) {
    // A kind that the API does not know has no objects there.
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

/** Who made it, and would make it elsewhere as well. */
function makerOf({ metadata: { ownerReferences = [] } }: KubeObject): string | undefined {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner === undefined ? undefined : `${owner.kind.toLowerCase()}/${owner.name}`;
}

/** Why an object cannot be brought elsewhere; `undefined` where it can. */
function refusalOf(object: KubeObject): string | undefined {
  const { spec } = object;
  if (!isJsonObject(spec)) return undefined;
  const holder = object.kind === 'Operator' ? spec.reconcile : spec;
  const source = isJsonObject(holder) ? holder.source : undefined;
  if (!isJsonObject(source) || source.artifact === undefined) return undefined;
  const found = 'its source was uploaded here, and is not handed out again';
  return `${nameOf(object)}: ${found}; deploy it there, from its files or from git`;
}

interface Named {
  readonly objects: readonly KubeObject[];
  readonly notices: readonly string[];
  readonly secretsLeft: readonly KubeObject['metadata'][];
}

const namedTypes: Readonly<Record<ReferredKind, ResourceType>> = {
  ConfigMap: clusterTypes.configMap,
  Secret: clusterTypes.secret,
  ServiceAccount: {
    ...{ group: '', version: 'v1', kind: 'ServiceAccount' },
    ...{ plural: 'serviceaccounts', namespaced: true },
  },
};

/** What the objects name beside them, and what accounts among that name. */
async function readNamed(options: GatherOptions, objects: readonly KubeObject[]): Promise<Named> {
  const found = new Map<string, KubeObject>();
  const secretsLeft = new Map<string, KubeObject['metadata']>();
  const notices: string[] = [];
  const seen = new Set<string>();
  const waiting = [...objects];
  for (let from = waiting.shift(); from !== undefined; from = waiting.shift()) {
    const { namespace = '' } = from.metadata;
    for (const reference of referencesOf(from)) {
      const { kind, name } = reference;
      const place = `${kind} ${namespace}/${name}`;
      if (seen.has(place)) continue;
      seen.add(place);
      if (kind === 'Secret' && !options.withSecrets) {
        secretsLeft.set(place, { namespace, name });
        continue;
      }
      const object = await readReference(options, namespace, reference);
      if (object === undefined) {
        notices.push(`${kind.toLowerCase()}/${name}, which ${nameOf(from)} names, is not there`);
        continue;
      }
      if (kind === 'ServiceAccount') {
        notices.push(`serviceaccount/${name} comes without its rights: they are granted there`);
        waiting.push(object);
      }
      found.set(place, object);
    }
  }
  return { objects: [...found.values()], notices, secretsLeft: [...secretsLeft.values()] };
}

async function readReference(
  { client, signal }: GatherOptions,
  namespace: string,
  { kind, name }: ObjectReference,
): Promise<KubeObject | undefined> {
  const type = namedTypes[kind];
  const object = await client.of<KubeObject>(type).tryGet({ namespace, name }, { signal });
  // A token of another cluster opens nothing.
  return object?.type === 'kubernetes.io/service-account-token' ? undefined : object;
}

const knownDefinitions = new Set(installedDefinitions.map(({ metadata }) => metadata.name));

/** The definitions of the kinds that Operators are for, unless they or Fnlet bring them. */
async function readDefinitions(
  { client, signal }: GatherOptions,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const operators = objects.filter(({ kind }) => kind === 'Operator');
  if (operators.length === 0) return [];
  const discovery = await discover(client.transport, { signal });
  const found = new Map<string, KubeObject>();
  for (const operator of operators) {
    const name = definitionOf(operator, discovery);
    if (name === undefined || knownDefinitions.has(name) || found.has(name)) continue;
    const key = { namespace: '', name };
    const definition = await client.of<KubeObject>(clusterTypes.definition).tryGet(key, { signal });
    if (definition !== undefined) found.set(name, withoutConversion(definition));
  }
  return [...found.values()];
}

/** Name of the definition of what an Operator is for; `undefined` where it brings it itself. */
function definitionOf({ spec }: KubeObject, discovery: Discovery): string | undefined {
  if (!isJsonObject(spec) || !isJsonObject(spec.for)) return undefined;
  const { apiVersion, kind } = spec.for;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const { group } = parseApiVersion(apiVersion);
  const plural = discovery.ofKind(apiVersion, kind)?.type.plural;
  if (group === '' || plural === undefined) return undefined;
  const name = `${plural}.${group}`;
  const brought = Array.isArray(spec.crds) ? spec.crds : [];
  const isBrought = brought.some(
    (crd: unknown) => isJsonObject(crd) && isJsonObject(crd.metadata) && crd.metadata.name === name,
  );
  return isBrought ? undefined : name;
}

/** Who converts between its versions is not known elsewhere: whoever does says so again. */
function withoutConversion(definition: KubeObject): KubeObject {
  if (!isJsonObject(definition.spec)) return definition;
  const { conversion: _, ...spec } = definition.spec;
  return { ...definition, spec };
}

const knownRuntimes = new Set(builtinRuntimes.map(({ name }) => name));

/** Runtimes that somebody added and that the Functions name. */
async function readRuntimes(
  { client, signal }: GatherOptions,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const names = new Set(
    objects.flatMap(({ kind, spec }) => {
      if (!isJsonObject(spec)) return [];
      const holder = kind === 'Operator' ? spec.reconcile : spec;
      const runtime = isJsonObject(holder) ? holder.runtime : undefined;
      return typeof runtime === 'string' && !knownRuntimes.has(runtime) ? [runtime] : [];
    }),
  );
  if (names.size === 0) return [];
  const runtimes = await listAll({ client, signal, namespace: undefined }, runtimeType);
  return runtimes.filter(
    ({ metadata, spec }) =>
      !knownRuntimes.has(metadata.name) &&
      (names.has(metadata.name) || aliasesOf(spec).some((alias) => names.has(alias))),
  );
}

function aliasesOf(spec: unknown): readonly string[] {
  const aliases = isJsonObject(spec) ? spec.aliases : undefined;
  return Array.isArray(aliases) ? aliases.map(String) : [];
}
