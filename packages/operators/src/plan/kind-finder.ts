/**
 * What the API serves of the kinds that operators name.
 *
 * I1. What is known is believed until a definition changes.
 */
import { type Clock, hasCode, isJsonObject } from '@fnlet/base';
import { type Client, createDiscoveryCache, type DiscoveryCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { Requirement } from '@fnlet/sdk/operator';
import type { RequiredObjects } from '@fnlet/sdk/operator-wire';
import { HubError } from '../hub-error.ts';
import { kindOf, type NamedKind, type ServedKind } from './kinds.ts';

/** How definitions of kinds are addressed. */
export const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

export class KindFinder {
  readonly #client: Client;
  readonly #clock: Clock;
  #discovery: DiscoveryCache;

  constructor({ client, clock }: { readonly client: Client; readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
    this.#discovery = createDiscoveryCache(client.transport, { clock });
  }

  /** Definitions have changed. */
  forget(): void {
    this.#discovery = createDiscoveryCache(this.#client.transport, { clock: this.#clock });
  }

  /**
   * @throws HubError `KindNotServed`
   */
  async find({ apiVersion, kind }: NamedKind, signal?: AbortSignal): Promise<ServedKind> {
    const options = signal === undefined ? {} : { signal };
    const found = await this.#discovery.ofKind(apiVersion, kind, options);
    if (found?.verbs.includes('watch') === true) {
      return { kind: kindOf(found.type), hasStatus: found.subresources.includes('status') };
    }
    const why = found === undefined ? 'the API serves no such kind' : 'it cannot be watched';
    throw new HubError('KindNotServed', `Cannot find ${kind} of ${apiVersion}: ${why}`, {
      remedy: 'Apply its CustomResourceDefinition, or name it in spec.crds',
    });
  }

  /**
   * The kind that URLs call so.
   *
   * @throws HubError `KindNotServed`
   */
  async kindCalled({
    apiVersion,
    resource,
  }: {
    readonly apiVersion: string;
    readonly resource: string;
  }): Promise<string> {
    const found = await this.#discovery.ofPlural(apiVersion, resource);
    if (found !== undefined) return found.type.kind;
    const message = `Cannot find ${resource} of ${apiVersion}: the API serves no such kind`;
    throw new HubError('KindNotServed', message, { retry: 'later' });
  }

  /**
   * What an answer requires, as the operator runtime has it.
   *
   * @throws HubError `KindNotServed`
   */
  async requirementOf(required: RequiredObjects): Promise<Requirement> {
    const { kind } = await this.find(required);
    const { name, namespace, labels } = required;
    return {
      kind,
      ...(name === undefined ? {} : { key: { name } }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    };
  }

  /**
   * Whether objects of a kind have room for conditions of the runtime's: where their schema names
   * conditions, or keeps what it does not name.
   */
  async hasConditions({ kind }: ServedKind, signal: AbortSignal): Promise<boolean> {
    if (!kind.group.includes('.')) return false;
    const name = `${kind.plural}.${kind.group}`;
    try {
      const definitions = this.#client.of<KubeObject>(definitionType);
      const found = await definitions.tryGet({ namespace: '', name }, { signal });
      return found !== undefined && namesConditions(found, kind.version);
    } catch (error) {
      if (hasCode(error, 'Forbidden')) return false;
      throw error;
    }
  }
}

/** Whether the schema of a version has conditions in its status. */
export function namesConditions(definition: unknown, version: string): boolean {
  const versions = at(definition, ['spec', 'versions']);
  if (!Array.isArray(versions)) return false;
  const found = versions.find((one: unknown) => isJsonObject(one) && one.name === version);
  const status = at(found, ['schema', 'openAPIV3Schema', 'properties', 'status']);
  if (at(status, ['x-kubernetes-preserve-unknown-fields']) === true) return true;
  return at(status, ['properties', 'conditions']) !== undefined;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isJsonObject(inner) ? inner[key] : undefined),
    value,
  );
}
