import { managedBy, managedByLabel, type TriggerObject } from '@fnlet/api';
import { sha256 } from '@fnlet/base';
import type { ResourceType } from '@fnlet/machinery';
import { clusterNames } from '../names.ts';

function typeOf(group: string, kind: string, plural: string): ResourceType {
  return { group, version: 'v1', kind, plural, namespaced: true };
}

/** How the objects are addressed that lead to the Gateway. */
export const routeTypes: Readonly<
  Record<'ingress' | 'httpRoute' | 'service' | 'endpointSlice', ResourceType>
> = {
  ingress: typeOf('networking.k8s.io', 'Ingress', 'ingresses'),
  httpRoute: typeOf('gateway.networking.k8s.io', 'HTTPRoute', 'httproutes'),
  service: typeOf('', 'Service', 'services'),
  endpointSlice: typeOf('discovery.k8s.io', 'EndpointSlice', 'endpointslices'),
};

/** On everything that leads requests of Triggers to the Gateway: the Trigger, or `backend`. */
export const routeLabel: string = clusterNames.routeLabel;

/** Value of {@link routeLabel} on what routes of a namespace share. */
export const backendRole = 'backend';

/** Labels of such an object. */
export function routeLabels(role: string): Readonly<Record<string, string>> {
  return { [managedByLabel]: managedBy, [routeLabel]: role };
}

/** Of the Ingress and the HTTPRoute of a Trigger; a label holds 63 characters, a name 253. */
export function routeRole({ metadata: { name } }: TriggerObject): string {
  return name.length <= 63 ? name : `${name.slice(0, 50)}-${sha256(name).slice(0, 12)}`;
}

/** Name of the Ingress and the HTTPRoute of a Trigger. */
export function routeName({ metadata: { name } }: TriggerObject): string {
  const suffix = '-route';
  if (name.length + suffix.length <= 253) return `${name}${suffix}`;
  return `${name.slice(0, 230)}-${sha256(name).slice(0, 12)}${suffix}`;
}
