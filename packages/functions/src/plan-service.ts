import { type FunctionObject, functionLabel, managedBy, managedByLabel } from '@fnlet/api';
import type { Service } from './core-kinds.ts';
import { ownerReference } from './plan-revision.ts';

/** The port that Runners answer HTTP/1.1 on. */
const port = 8080;

/**
 * The Service that names the Instances of a Function. Headless: it has no address of its own, since
 * only the Gateway can wake a Function that sleeps.
 */
export function planService(owner: FunctionObject): Service {
  const { name, namespace } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [functionLabel]: name, [managedByLabel]: managedBy },
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      clusterIP: 'None',
      selector: { [functionLabel]: name },
      ports: [{ name: 'http', port, targetPort: port, protocol: 'TCP' }],
    },
  };
}
