import type { JsonSchema } from '@fnlet/machinery';
import { atomic, text } from './schema-words.ts';

/** core/v1 ObjectReference. */
export function objectReference(description: string): JsonSchema {
  return atomic(description, {
    apiVersion: text('API version of the referent.'),
    kind: text('Kind of the referent.'),
    namespace: text('Namespace of the referent.'),
    name: text('Name of the referent.'),
    uid: text('UID of the referent.'),
    resourceVersion: text('The version of the referent that is meant.'),
    fieldPath: text('The part of the referent that is meant.'),
  });
}
