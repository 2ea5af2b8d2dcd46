/** The operator that tests of the hub run: a Site has a ConfigMap with its text. */
import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import {
  ConfigMap,
  defineKind,
  field,
  type ObjectOf,
  type Operator,
  type OwnKind,
  operator,
  type PolicyRule,
  ready,
} from '@fnlet/sdk/operator';
import { HubWorld, namespace, rightsOf } from './hub-world.ts';

export const Site: OwnKind<{ readonly text: string }, { readonly url?: string }> = defineKind({
  ...{ group: 'example.dev', version: 'v1', kind: 'Site' },
  description: 'A page.',
  spec: { text: field.text('The page.') },
  status: { url: field.text('Where it is.') },
});

export const sites: Operator<ObjectOf<typeof Site>> = operator(Site, {
  owns: [ConfigMap],
  reconcile: ({ object }) => ({
    children: [
      ConfigMap.of({ metadata: { name: object.metadata.name }, data: { text: object.spec.text } }),
    ],
    status: { url: `http://${object.metadata.name}` },
    conditions: [ready()],
  }),
});

/** What the Operator object of it says. */
export const sitesSpec: JsonObject = {
  for: { apiVersion: 'example.dev/v1', kind: 'Site' },
  owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
  reconcile: { function: 'sites' },
};

/** A world with that operator, which differs as `more` says. */
export async function openSites(
  more: JsonObject = {},
  rules: readonly PolicyRule[] = rightsOf(sites),
): Promise<HubWorld> {
  const world = await HubWorld.open([{ ...Site.crd }]);
  await world.deploy('sites', sites);
  await world.create('sites', { ...sitesSpec, ...more }, rules);
  return world;
}

export function site(name: string, text = 'hello'): KubeObject {
  const object = { ...Site.of({ metadata: { name, namespace }, spec: { text } }) };
  return object;
}

/** Asks for another text. */
export async function retext(world: HubWorld, name: string, text: string): Promise<void> {
  const patch = { spec: { text } };
  await world.of(Site).patch({ namespace, name }, { type: 'merge', patch });
}
