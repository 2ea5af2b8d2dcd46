import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';

/** What was chosen, and which names nobody has. */
export interface Selection {
  readonly selected: readonly KubeObject[];
  readonly unknown: readonly string[];
}

/**
 * Chooses among Functions, Operators, Brokers and Triggers of one namespace by `name` or
 * `kind/name`; without names all of them. With a Function come the Triggers and Operators that lead
 * to it, with an Operator its Triggers; with all of these what they name.
 */
export function selectObjects(all: readonly KubeObject[], names: readonly string[]): Selection {
  if (names.length === 0) return { selected: all, unknown: [] };
  const selected = new Set<KubeObject>();
  const unknown: string[] = [];
  for (const name of names) {
    const matches = all.filter((object) => isNamed(object, name));
    if (matches.length === 0) unknown.push(name);
    for (const object of matches) selected.add(object);
  }
  for (const object of [...selected]) {
    if (object.kind !== 'Function' && object.kind !== 'Operator') continue;
    for (const other of all) if (leadsTo(other, object)) selected.add(other);
  }
  // A set that grows is walked to its end.
  for (const object of selected) {
    const named = new Set(partnersOf(object));
    for (const other of all) if (named.has(nameOf(other))) selected.add(other);
  }
  return { selected: all.filter((object) => selected.has(object)), unknown };
}

function isNamed(object: KubeObject, name: string): boolean {
  return name === object.metadata.name || name.toLowerCase() === nameOf(object);
}

function leadsTo(from: KubeObject, to: KubeObject): boolean {
  const isWay = from.kind === 'Trigger' || (from.kind === 'Operator' && to.kind === 'Function');
  return isWay && partnersOf(from).includes(nameOf(to));
}

/** The objects of Fnlet that one names, as `kind/name`. */
function partnersOf({ kind, spec }: KubeObject): readonly string[] {
  if (!isJsonObject(spec)) return [];
  if (kind === 'Operator') return namedIn(spec.reconcile, ['function']);
  if (kind !== 'Trigger') return [];
  const { source, target, delivery } = spec;
  const broker = isJsonObject(source) && isJsonObject(source.broker) ? source.broker.name : '';
  const deadLetter = isJsonObject(delivery) ? delivery.deadLetter : undefined;
  const targets = ['function', 'broker', 'operator'];
  return [
    ...(typeof broker === 'string' && broker !== '' ? [`broker/${broker}`] : []),
    ...namedIn(target, targets),
    ...namedIn(deadLetter, targets),
  ];
}

function namedIn(value: unknown, kinds: readonly string[]): readonly string[] {
  if (!isJsonObject(value)) return [];
  return kinds.flatMap((kind) => {
    const name = value[kind];
    return typeof name === 'string' ? [`${kind}/${name}`] : [];
  });
}

/** `kind/name`, the kind in lower case. */
export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
