import { isJsonObject } from '@fnlet/base';

/** A copy of the value with another one at the place; undefined takes out what was there. */
export function withValue(value: unknown, place: readonly string[], by: unknown): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return by;
  if (Array.isArray(value)) {
    const items: unknown[] = [...value];
    items[Number(step)] = withValue(items[Number(step)], rest, by);
    return items.filter((item) => item !== undefined);
  }
  const object = isJsonObject(value) ? value : {};
  const entries = Object.entries({ ...object, [step]: withValue(object[step], rest, by) });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
