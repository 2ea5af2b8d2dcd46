import type { KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';

/** Where the load balancer of an Ingress or Service is reached. */
export function loadBalancerAddresses(object: KubeObject): string {
  const balancer = objectField(objectField(object, 'status'), 'loadBalancer');
  const addresses = listField(balancer, 'ingress')
    .map((ingress) => textField(ingress, 'ip') || textField(ingress, 'hostname'))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort().join(',');
}
