import {
  type Compatibility,
  type FunctionObject,
  functionLabel,
  managedBy,
  managedByLabel,
} from '@fnlet/api';
import { compatibleLabels } from './compatible-labels.ts';
import type { Service } from './core-kinds.ts';
import { ownerReference } from './plan-revision.ts';

/** The port that Runners answer HTTP/1.1 on. */
const targetPort = 8080;

interface Port {
  readonly name: string;
  readonly port: number;
}

// 80 is what a URL without a port means; 8080 is where an Instance really answers.
const ownPorts: readonly Port[] = [
  { name: 'http', port: 80 },
  { name: 'http-alt', port: 8080 },
];

const ports: Readonly<Record<Compatibility, readonly Port[]>> = {
  kyma: [{ name: 'http', port: 80 }],
  kubeless: [{ name: 'http-function-port', port: 8080 }],
};

/**
 * The Service that names the Instances of a Function, in the shape of the system whose ways it
 * keeps. Headless: it has no address of its own, since only the Gateway can wake a Function that
 * sleeps; the API's proxy and functions that call each other by name go there.
 */
export function planService(owner: FunctionObject): Service {
  const { name, namespace, uid = '' } = owner.metadata;
  const { compatibility } = owner.spec;
  const labels = compatibleLabels({ name, uid }, compatibility);
  const named = compatibility === undefined ? ownPorts : ports[compatibility];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        // As those systems copy them, for who looks for Services by labels of their own.
        ...(compatibility === undefined ? {} : owner.metadata.labels),
        ...labels,
        ...{ [functionLabel]: name, [managedByLabel]: managedBy },
      },
      ownerReferences: [ownerReference(owner)],
    },
    spec: {
      clusterIP: 'None',
      selector: labels,
      ports: named.map((port) => ({ ...port, targetPort, protocol: 'TCP' })),
    },
  };
}
