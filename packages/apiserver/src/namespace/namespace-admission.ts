import type { KubeObject } from '@fnlet/machinery';
import { forbidden, notFound } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { objectField, textField } from '../object/object-form.ts';
import { storeKey } from '../object/object-keys.ts';
import type { Resource } from '../resource/resource.ts';

/**
 * Objects are created only in namespaces that exist and stay (the NamespaceLifecycle admission).
 *
 * @throws StatusError `NotFound`, `Forbidden`
 */
export function checkNamespace(context: ApiContext, resource: Resource, object: KubeObject): void {
  const { type } = resource.strategy;
  if (!type.namespaced) return;
  const name = object.metadata.namespace ?? '';
  const namespaces = context.catalog.find('', 'v1', 'namespaces');
  if (namespaces === undefined) return;
  const kept = context.store.get(storeKey(namespaces.strategy, { namespace: '', name }));
  if (kept === undefined) throw notFound(namespaces.strategy.type, name);
  if (textField(objectField(kept.value, 'status'), 'phase') !== 'Terminating') return;
  const text = `unable to create new content in namespace ${name} because it is being terminated`;
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${name} is being terminated`,
    field: 'metadata.namespace',
  };
  throw forbidden(type, object.metadata.name, { text, causes: [cause] });
}
