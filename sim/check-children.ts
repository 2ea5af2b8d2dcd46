import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Census } from './census.ts';
import { operatorNames } from './operators/catalogue.ts';
import { type ExpectedChild, expectedChildren, isCaredFor } from './oracle.ts';
import { ownerNamed } from './places.ts';
import type { UserWords } from './user-words.ts';

/** Children that are not as they are wanted, or that nobody wants. */
export function findWrongChildren(census: Census, words: UserWords): string[] {
  const parts = census.others.filter(({ metadata }) => metadata.name.startsWith('part-'));
  const expected = census.things
    .filter(({ kind, thing }) => isCaredFor(kind, thing))
    .flatMap(({ kind, thing }) => expectedChildren(kind, thing, { nowMs: census.nowMs, parts }));
  const found = new Map(census.others.map((object) => [idOf(object), object]));
  const wrong = expected.flatMap((child) => {
    const object = found.get(`${child.kind} ${child.namespace}/${child.name}`);
    found.delete(`${child.kind} ${child.namespace}/${child.name}`);
    return compare(child, object);
  });
  return [...wrong, ...[...found.values()].flatMap((object) => explain(object, census, words))];
}

function idOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

function compare(child: ExpectedChild, object: KubeObject | undefined): string[] {
  const id = `${child.kind} ${child.namespace}/${child.name}`;
  if (object === undefined) return [`${id} is missing`];
  const facts = factsOf(object);
  return Object.entries(child.facts)
    .filter(([name, value]) => facts[name] !== value)
    .map(([name, value]) => `${id}: ${name} is ${facts[name]}, expected ${value}`)
    .concat(surplus(child, facts).map((name) => `${id} has ${name}, which nobody wants`));
}

// Somebody else's field is called `theirs`.
function surplus(child: ExpectedChild, facts: JsonObject): string[] {
  if (child.kind !== 'ConfigMap') return [];
  return Object.keys(facts).filter((name) => name !== 'theirs' && child.facts[name] === undefined);
}

function factsOf({ kind, data, spec }: KubeObject): JsonObject {
  if (kind === 'ConfigMap') return isJsonObject(data) ? data : {};
  if (kind === 'Service') return { app: at(spec, ['selector', 'app']) };
  const container = at(spec, ['template', 'spec', 'containers', '0', 'env', '0', 'value']);
  return { replicas: at(spec, ['replicas']), text: container };
}

function at(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return value;
  if (Array.isArray(value)) return at(value[Number(first)], rest);
  return isJsonObject(value) ? at(value[first], rest) : undefined;
}

/** Why something is there that is nobody's child; nothing for what may be. */
function explain(object: KubeObject, { things }: Census, words: UserWords): string[] {
  const { name, uid = '', managedFields = [] } = object.metadata;
  const owner = ownerNamed(name);
  if (owner === undefined) return [];
  const isOurs = managedFields.some(({ manager }) => operatorNames.has(manager ?? ''));
  if (words.squats.has(uid) && !isOurs) return [];
  const left = things.find(
    ({ kind, thing }) => kind === owner.kind && thing.metadata.name === owner.name,
  );
  // What an operator does not care for keeps the children that it has.
  if (left !== undefined && !isCaredFor(left.kind, left.thing)) {
    const isCleaned = left.kind.kind === 'Tenant';
    if (!isCleaned) return [];
  }
  return [`${idOf(object)} is there, expected nothing`];
}
