import { isJsonObject, jsonEqual } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Census } from './census.ts';
import type { Thing } from './operators/thing.ts';
import type { UserWords } from './user-words.ts';
import { foreignFinalizer } from './users.ts';

/** What users have written and an operator has touched. */
export function findTouched(census: Census, words: UserWords): string[] {
  return [
    ...census.things.flatMap(({ thing }) => touchedThing(thing, words)),
    ...census.others.flatMap((object) => [
      ...touchedField(object, words),
      ...touchedPart(object, words),
    ]),
  ];
}

function touchedThing(thing: Thing & KubeObject, words: UserWords): string[] {
  const { uid = '', name } = thing.metadata;
  const said = words.things.get(uid);
  if (said === undefined) return [`${thing.kind} ${name} is there, and nobody made it`];
  const [found, expected] = [userPart(thing), userPart(said)];
  if (jsonEqual(found, expected)) return [];
  return [
    `${thing.kind} ${name} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
  ];
}

/** All of an object that is a user's. */
function userPart({ metadata, spec }: Thing): object {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  const isHeld = finalizers.includes(foreignFinalizer);
  return { spec: { ...spec }, labels, annotations, isHeld };
}

function touchedField({ kind, metadata, data }: KubeObject, words: UserWords): string[] {
  const text = words.foreignFields.get(metadata.uid ?? '');
  const found = isJsonObject(data) ? data.theirs : undefined;
  if (text === undefined || found === text) return [];
  return [`${kind} ${metadata.name}: a foreign field is ${found}, expected ${text}`];
}

function touchedPart({ metadata }: KubeObject, words: UserWords): string[] {
  const part = words.parts.get(metadata.name.replace(/^part-/, ''));
  if (!metadata.name.startsWith('part-') || part === undefined) return [];
  if (part.metadata.resourceVersion === metadata.resourceVersion) return [];
  return [`ConfigMap ${metadata.name} was written by somebody else than a user`];
}
