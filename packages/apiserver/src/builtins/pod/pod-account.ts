import type { KubeObject } from '@fnlet/machinery';
import { forbidden } from '../../answer/status-texts.ts';
import { objectField, textField } from '../../object/object-form.ts';
import type { HookContext } from '../../resource/strategy.ts';

const pods = { group: '', plural: 'pods' };

/**
 * The account that a new Pod names is there (the admission plugin ServiceAccount). The account
 * `default` of a namespace comes a moment after it, and Kubernetes waits for it for a second; here
 * a Pod gets nothing of it unasked, and does not wait.
 *
 * @throws StatusError `Forbidden`
 */
export function checkAccount(pod: KubeObject, { find }: HookContext): void {
  const name = textField(objectField(pod, 'spec'), 'serviceAccountName');
  if (name === '' || name === 'default') return;
  const { namespace = '' } = pod.metadata;
  if (find('', 'serviceaccounts', { namespace, name }) !== undefined) return;
  const text = `error looking up service account ${namespace}/${name}`;
  throw forbidden(pods, pod.metadata.name, {
    text: `${text}: serviceaccount ${JSON.stringify(name)} not found`,
  });
}
