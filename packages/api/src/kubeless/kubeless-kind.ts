import type { FieldSchema } from '../field-schema.ts';
import type { KindDefinition } from '../kind-definition.ts';

/** What all kinds of Kubeless have in common. */
export const kubelessKind: Pick<
  KindDefinition<unknown, unknown>,
  'group' | 'version' | 'shortNames' | 'categories'
> = {
  group: 'kubeless.io',
  version: 'v1beta1',
  // Kubeless has none.
  shortNames: [],
  categories: ['all', 'kubeless'],
};

/** A text, for people who ask `kubectl explain`. */
export function textSchema(description: string): FieldSchema<string> {
  return { type: 'string', description };
}
