/**
 * Which namespace a host belongs to: that of whoever asked first for it, or for a wildcard that it
 * is below.
 *
 * I1. Nobody else publishes anything there: who has a host's pages could read the cookies of the
 *     others, and take paths that they have not thought of.
 * I2. A change touches those that ask for the same hosts, and where it is about a wildcard, for
 *     hosts below it.
 */
import { jsonEqual } from '@fnlet/base';
import { parseObjectKey } from '@fnlet/machinery';
import { byAge, type Claimant, RouteClaims } from './route-claims.ts';

export class HostOwners {
  /** By id, with the hosts that they ask for. */
  readonly #asking = new Map<string, Claimant>();
  readonly #claims = new RouteClaims();

  /** Who keeps the namespace of `id` from having this host, if anybody does. */
  rival(id: string, host: string): string | undefined {
    let owner: Claimant | undefined;
    for (const claim of [host, ...wildcardsAbove(host)]) {
      const first = this.#asking.get(this.#claims.holder(claim) ?? '');
      if (first !== undefined && (owner === undefined || byAge(first, owner) < 0)) owner = first;
    }
    return owner === undefined || namespaceOf(owner.id) === namespaceOf(id) ? undefined : owner.id;
  }

  /** Asks for these hosts, instead of those before; returns whom else that concerns. */
  set(claimant: Claimant): ReadonlySet<string> {
    const before = this.#asking.get(claimant.id);
    if (before !== undefined && jsonEqual({ ...before }, { ...claimant })) return new Set();
    const concerned = this.#claims.set(claimant);
    this.#asking.set(claimant.id, claimant);
    return concerned.union(this.#below(claimant.id, [before, claimant]));
  }

  /** Asks for nothing any more; returns whom that concerns. */
  remove(id: string): ReadonlySet<string> {
    const before = this.#asking.get(id);
    this.#asking.delete(id);
    return this.#claims.remove(id).union(this.#below(id, [before]));
  }

  /** Those who ask for hosts below the wildcards of `claimants`. */
  #below(id: string, claimants: readonly (Claimant | undefined)[]): ReadonlySet<string> {
    const all = claimants.flatMap((claimant) => claimant?.claims ?? []);
    const wildcards = new Set(all.filter((host) => host.startsWith('*')));
    const found = new Set<string>();
    if (wildcards.size === 0) return found;
    for (const other of this.#asking.values()) {
      const isBelow = (host: string): boolean =>
        wildcardsAbove(host).some((each) => wildcards.has(each));
      if (other.id !== id && other.claims.some(isBelow)) found.add(other.id);
    }
    return found;
  }
}

/** Of `a.b.c` and of `*.b.c`: `*.b.c` of the first only, and `*.c`. */
function wildcardsAbove(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.slice(1).flatMap((_, index) => {
    const wildcard = `*.${labels.slice(index + 1).join('.')}`;
    return wildcard === host ? [] : [wildcard];
  });
}

function namespaceOf(id: string): string {
  return parseObjectKey(id).namespace;
}
