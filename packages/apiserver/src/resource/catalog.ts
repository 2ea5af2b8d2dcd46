import { compareVersions } from '@fnlet/machinery';
import type { Resource } from './resource.ts';

/**
 * Which resources are served right now, in the order of discovery.
 *
 * I1. A group-version and plural name one resource.
 * I2. `generation` moves whenever the set changes, so that whatever is derived from it (discovery,
 *     OpenAPI) can be kept until then.
 */
export class Catalog {
  /** Group -> version -> plural -> resource; of builtin groups, the order is that of preference. */
  readonly #groups = new Map<string, Map<string, Map<string, Resource>>>();
  /** Groups that definitions brought. */
  readonly #defined = new Set<string>();
  #generation = 0;

  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#groups.get(group)?.get(version)?.get(plural);
  }

  /** Whether the group is there without definitions. */
  hasBuiltins(group: string): boolean {
    return this.#groups.has(group) && !this.#defined.has(group);
  }

  /** Whether objects of this kind can be here, in any version. */
  servesKind(group: string, kind: string): boolean {
    for (const plurals of this.#groups.get(group)?.values() ?? []) {
      for (const { strategy } of plurals.values()) if (strategy.type.kind === kind) return true;
    }
    return false;
  }

  add(resource: Resource): void {
    const { group, version, plural } = resource.strategy.type;
    const versions = this.#groups.get(group) ?? new Map<string, Map<string, Resource>>();
    this.#groups.set(group, versions);
    const plurals = versions.get(version) ?? new Map<string, Resource>();
    versions.set(version, plurals);
    plurals.set(plural, resource);
    this.#generation++;
  }

  /** Adds a resource that a CustomResourceDefinition describes. */
  addDefined(resource: Resource): void {
    const { group } = resource.strategy.type;
    if (!this.#groups.has(group)) this.#defined.add(group);
    this.add(resource);
  }

  /** Takes a resource out in all its versions, and returns what is no longer served. */
  remove(group: string, plural: string): readonly Resource[] {
    const versions = this.#groups.get(group);
    const removed: Resource[] = [];
    for (const [version, plurals] of versions ?? []) {
      const resource = plurals.get(plural);
      if (resource !== undefined) removed.push(resource);
      if (plurals.delete(plural)) this.#generation++;
      if (plurals.size === 0) versions?.delete(version);
    }
    if (versions?.size === 0) {
      this.#groups.delete(group);
      this.#defined.delete(group);
    }
    return removed;
  }

  /**
   * All groups, preferred first: of two with a kind of one name, clients take the former. Those
   * of definitions come after all others, in the order of kube-aggregator, whatever came first: by
   * the name of the APIService of their preferred version (ByGroupPriorityMinimum).
   */
  groups(): readonly string[] {
    const groups = [...this.#groups.keys()];
    const builtin = groups.filter((group) => !this.#defined.has(group));
    const services = groups
      .filter((group) => this.#defined.has(group))
      .map((group) => ({ group, name: `${this.versions(group)[0]}.${group}` }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return [...builtin, ...services.map(({ group }) => group)];
  }

  /** The versions of a group, preferred first (KEP: GA before beta before alpha, newest first). */
  versions(group: string): readonly string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])].sort(compareVersions);
  }

  resources(group: string, version: string): readonly Resource[] {
    const found = [...(this.#groups.get(group)?.get(version)?.values() ?? [])];
    return found.sort((a, b) => (a.strategy.type.plural < b.strategy.type.plural ? -1 : 1));
  }

  /** Every stored kind once, in its preferred version; as kept, where a webhook converts. */
  storedKinds(): readonly Resource[] {
    const kinds = new Map<string, Resource>();
    for (const group of this.groups()) {
      for (const version of this.versions(group)) {
        for (const resource of this.resources(group, version)) {
          const { stored, answer, computed } = resource.strategy;
          const key = `${stored.group}/${stored.plural}`;
          const isStored = answer === undefined && computed !== true;
          if (isStored && !kinds.has(key)) kinds.set(key, resource.kept);
        }
      }
    }
    return [...kinds.values()];
  }

  /**
   * The preferred version in which the objects of this stored kind can be read; as they are kept,
   * where a webhook converts.
   */
  findStored(group: string, plural: string): Resource | undefined {
    for (const version of this.versions(group)) {
      const resource = this.find(group, version, plural);
      if (resource !== undefined) return resource.kept;
    }
    return undefined;
  }
}
