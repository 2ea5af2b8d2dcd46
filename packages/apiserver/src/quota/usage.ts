import { isJsonObject, type JsonObject } from '@fnlet/base';
import { compareQuantities, formatQuantity, type Quantity } from '@fnlet/machinery';
import { quantityOf } from '../builtins/pod/resource-rule.ts';

/** How much there is of each resource, by its name (core/v1, ResourceList). */
export type Usage = ReadonlyMap<string, Quantity>;

export const zero: Quantity = { nano: 0n, format: 'DecimalSI' };

/** So many whole things. */
export function countOf(number: number): Quantity {
  return { nano: BigInt(number) * 1_000_000_000n, format: 'DecimalSI' };
}

/** The amounts of a ResourceList; what is none is left out. */
export function parseUsage(list: unknown): Usage {
  const found = new Map<string, Quantity>();
  for (const [name, amount] of Object.entries(isJsonObject(list) ? list : {})) {
    const quantity = quantityOf(amount);
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}

/** The ResourceList, in the order of names. */
export function showUsage(usage: Usage): JsonObject {
  return Object.fromEntries(byName(usage).map(([name, one]) => [name, formatQuantity(one)]));
}

/** `pods=1,requests.cpu=500m`, as refusals say it. */
export function formatUsage(usage: Usage): string {
  return byName(usage)
    .map(([name, one]) => `${name}=${formatQuantity(one)}`)
    .join(',');
}

function byName(usage: Usage): readonly (readonly [string, Quantity])[] {
  return [...usage].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function addUsage(a: Usage, b: Usage): Usage {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : plus(known, amount));
  }
  return sum;
}

// Nothing has no format of its own (apimachinery, Quantity.Add).
function plus(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** The larger of each. */
export function largerUsage(a: Usage, b: Usage): Usage {
  const larger = new Map(a);
  for (const [name, amount] of b) {
    const known = larger.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) larger.set(name, amount);
  }
  return larger;
}

/** By how much each is more than it was; what is not more is left out. */
export function growthOf(next: Usage, old: Usage): Usage {
  const grown = new Map<string, Quantity>();
  for (const [name, { nano, format }] of next) {
    const more = nano - (old.get(name)?.nano ?? 0n);
    if (more > 0n) grown.set(name, { nano: more, format });
  }
  return grown;
}

/** What there is of these resources. */
export function pickUsage(usage: Usage, isWanted: (name: string) => boolean): Usage {
  return new Map([...usage].filter(([name]) => isWanted(name)));
}

/** Whether both say the same amounts of the same resources, however they are written. */
export function sameUsage(a: Usage, b: Usage): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([name, { nano }]) => b.get(name)?.nano === nano);
}
