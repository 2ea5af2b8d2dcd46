import type { KubeObject } from '@fnlet/machinery';
import {
  ConfigMap,
  defineKind,
  field,
  type ObjectOf,
  type Operator,
  type OwnKind,
  operator,
} from '@fnlet/sdk/operator';

/** What the hub of this world looks after. */
export const Site: OwnKind<{ readonly text: string }, { readonly said?: string }> = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'Site' },
  description: 'A page.',
  spec: { text: field.text('The page.') },
  status: { said: field.text('What is served.') },
});

/** A Site as the API gives it. */
export type Site = ObjectOf<typeof Site> & KubeObject;

/** The operator that is behind the Function. */
export const sites: Operator<ObjectOf<typeof Site>> = operator(Site, {
  owns: [ConfigMap],
  reconcile: ({ object: { metadata, spec } }) => ({
    children: [
      ConfigMap.of({
        metadata: { name: childName(metadata.name) },
        data: { text: spec.text, of: stateOf(metadata) },
      }),
    ],
    status: { said: spec.text },
  }),
});

export function childName(site: string): string {
  return `site-${site}`;
}

/** The state of a Site that an answer is about. */
export function stateOf({ uid, generation }: KubeObject['metadata']): string {
  return `${uid}/${generation}`;
}
