import type { Evaluator } from './evaluator.ts';

/** The resource that counts every object of a kind: `count/pods`, `count/deployments.apps`. */
export function countName(group: string, plural: string): string {
  return group === '' ? `count/${plural}` : `count/${plural}.${group}`;
}

/** The kind that a resource of the form `count/<plural>.<group>` counts. */
export function parseCountName(
  name: string,
): { readonly group: string; readonly plural: string } | undefined {
  const match = /^count\/([^./]+)(?:\.(.+))?$/.exec(name);
  return match === null ? undefined : { plural: match[1] ?? '', group: match[2] ?? '' };
}

// Of these there were quotas before those of all kinds.
const aliases: ReadonlySet<string> = new Set([
  ...['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'],
]);

/** For kinds of which a quota counts nothing but the objects. */
export function createCountEvaluator(group: string, plural: string): Evaluator {
  const counted = countName(group, plural);
  const hasAlias = group === '' && aliases.has(plural);
  return { counts: (name) => name === counted || (hasAlias && name === plural) };
}
