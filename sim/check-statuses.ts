import type { Census } from './census.ts';
import { Mirror } from './operators/mirror.ts';
import type { Thing } from './operators/thing.ts';
import { isCaredFor } from './oracle.ts';
import type { UserWords } from './user-words.ts';

/** Statuses that say of a generation what it did not ask for; to be asked at any moment. */
export function findLies({ things }: Census, words: UserWords): string[] {
  return things.flatMap(({ kind, thing }) => {
    const { name, uid = '' } = thing.metadata;
    const { observedGeneration, text } = thing.status ?? {};
    if (observedGeneration === undefined || text === undefined) return [];
    const asked = words.askedIn(uid, observedGeneration);
    if (asked?.text === text) return [];
    const found = `says "${text}" of generation ${observedGeneration}`;
    return [`${kind.kind} ${name} ${found}, which asked for "${asked?.text}"`];
  });
}

/** Statuses that are not about the newest generation, or do not say that all is well. */
export function findOldStatuses({ things }: Census): string[] {
  return things
    .filter(({ kind, thing }) => isCaredFor(kind, thing))
    .flatMap(({ kind, thing }) => {
      const problems = [...oldFields(thing)];
      // The imperative operator says no conditions.
      if (kind.kind !== Mirror.kind) problems.push(...falseConditions(thing));
      return problems.map((problem) => `${kind.kind} ${thing.metadata.name}: ${problem}`);
    });
}

function oldFields({ metadata, spec, status = {} }: Thing): string[] {
  const { observedGeneration, text, count } = status;
  const problems: string[] = [];
  if (observedGeneration !== metadata.generation) {
    problems.push(`status is about ${observedGeneration}, it is at ${metadata.generation}`);
  }
  if (text !== spec.text || count !== spec.count) {
    problems.push(`status says ${text}/${count}, wanted is ${spec.text}/${spec.count}`);
  }
  return problems;
}

function falseConditions({ metadata, status }: Thing): string[] {
  return ['Ready', 'Reconciled'].flatMap((type) => {
    const found = status?.conditions?.find((condition) => condition.type === type);
    const isNew = found?.observedGeneration === metadata.generation;
    if (found?.status === 'True' && isNew) return [];
    return [`condition ${type} is ${JSON.stringify(found)}`];
  });
}
