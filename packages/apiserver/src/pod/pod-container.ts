import type { KubeObject } from '@fnlet/machinery';
import { badRequest } from '../answer/status-texts.ts';
import { listField, objectField, textField } from '../object/object-form.ts';

/**
 * The container that a request to a Pod means: the one that it names, the Pod's default, or the
 * only one.
 *
 * @throws StatusError `BadRequest` in the words of kube-apiserver
 */
export function chooseContainer(pod: KubeObject, query: URLSearchParams): string {
  const asked = query.get('container') ?? '';
  const { name } = pod.metadata;
  if (asked !== '') {
    if (containerNames(pod).includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const chosen = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'] ?? '';
  if (containerNames(pod).includes(chosen)) return chosen;
  const main = namesIn(pod, 'containers');
  const [only = ''] = main;
  if (main.length === 1) return only;
  const list = `[${main.join(' ')}]`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: ${list}`);
}

function containerNames(pod: KubeObject): readonly string[] {
  const fields = ['containers', 'initContainers', 'ephemeralContainers'];
  return fields.flatMap((field) => namesIn(pod, field));
}

function namesIn(pod: KubeObject, field: string): readonly string[] {
  return listField(objectField(pod, 'spec'), field).map((item) => textField(item, 'name'));
}
