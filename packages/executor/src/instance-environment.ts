import { downwardField, resourceField } from '@fnlet/machinery';
import type { Instance } from './executor.ts';
import { instancePod } from './instance-pod.ts';

/** What Instances are told about the machine that they run on. */
export interface InstanceNode {
  readonly name: string;
  /** What a limit that is not set amounts to. */
  readonly capacity: { readonly cpu: string; readonly memory: string };
}

/** The complete environment of an Instance that has an address. */
export function instanceEnvironment(
  instance: Pick<Instance, 'id' | 'revision' | 'address'>,
  node: InstanceNode,
): Readonly<Record<string, string>> {
  const { env, variables = [], resources = {}, serviceAccountName } = instance.revision;
  if (variables.length === 0) return env;
  const { metadata } = instancePod(instance, node.name);
  const pod = { metadata, spec: serviceAccountName === undefined ? {} : { serviceAccountName } };
  const podIP = instance.address?.host ?? '';
  const place = { podIP, hostIP: '127.0.0.1', nodeName: node.name, capacity: node.capacity };
  const known = variables.map((variable): [string, string] => {
    const value =
      'fieldPath' in variable
        ? downwardField(pod, variable.fieldPath, place)
        : resourceField(resources, variable.resource, place);
    return [variable.name, value ?? ''];
  });
  return { ...env, ...Object.fromEntries(known) };
}
