/**
 * Who may have which requests, when several ask for the same ones.
 *
 * I1. What is claimed has one holder: whoever asked for it first; among equals, the first by name
 *     (Gateway API).
 * I2. A change touches what its claimant claims, or claimed before, and nothing else.
 */

import { jsonEqual } from '@fnlet/base';

/** Somebody who asks for requests. */
export interface Claimant {
  readonly id: string;
  /** When it asked, in RFC 3339. */
  readonly since: string;
  /** What it asks for, each once; equal texts are the same requests. */
  readonly claims: readonly string[];
}

export class RouteClaims {
  readonly #claimants = new Map<string, Claimant>();
  /** Who asks for it, its holder first. */
  readonly #byClaim = new Map<string, readonly Claimant[]>();

  /** Who has what is claimed. */
  holder(claim: string): string | undefined {
    return this.#byClaim.get(claim)?.[0]?.id;
  }

  /** Asks for all this, instead of what was asked for before; returns whom else that concerns. */
  set(claimant: Claimant): ReadonlySet<string> {
    const before = this.#claimants.get(claimant.id);
    const isSame = before?.since === claimant.since && jsonEqual(before.claims, claimant.claims);
    if (isSame) return new Set();
    const concerned = new Set(this.remove(claimant.id));
    this.#claimants.set(claimant.id, claimant);
    for (const claim of claimant.claims) {
      const others = this.#byClaim.get(claim) ?? [];
      for (const { id } of others) concerned.add(id);
      this.#byClaim.set(claim, [...others, claimant].sort(byAge));
    }
    return concerned;
  }

  /** Asks for nothing any more; returns whom that concerns. */
  remove(id: string): ReadonlySet<string> {
    const before = this.#claimants.get(id);
    const concerned = new Set<string>();
    this.#claimants.delete(id);
    for (const claim of before?.claims ?? []) {
      const others = (this.#byClaim.get(claim) ?? []).filter((each) => each.id !== id);
      for (const other of others) concerned.add(other.id);
      if (others.length === 0) this.#byClaim.delete(claim);
      else this.#byClaim.set(claim, others);
    }
    return concerned;
  }
}

/** Who asked first comes first; among equals, the first by name. */
export function byAge(one: Claimant, other: Claimant): number {
  if (one.since !== other.since) return one.since < other.since ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
