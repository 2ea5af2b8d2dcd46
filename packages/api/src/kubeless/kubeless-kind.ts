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

/** Whether all is well with an object, as each of these kinds shows it. */
export const readyColumn: NonNullable<KindDefinition<unknown, unknown>['columns']>[number] = {
  name: 'Ready',
  type: 'string',
  jsonPath: ".status.conditions[?(@.type=='Ready')].status",
};

/** A text, for people who ask `kubectl explain`. */
export function textSchema(description: string): FieldSchema<string> {
  return { type: 'string', description };
}
