import { type KubeObject, toKubeTime } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../answer/column.ts';
import { forbidden } from '../answer/status-texts.ts';
import { objectField, textField, withFields, withMetadata } from '../object/object-form.ts';
import { mergedList } from '../patch/patch-annotations.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { condition, object, text, texts } from './schema-words.ts';

/** Namespaces that are always there. */
export const systemNamespaces: readonly string[] = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
];

const protectedNamespaces = systemNamespaces.slice(0, 3);
const type = { group: '', plural: 'namespaces' };

export const namespaceStrategy: Strategy = builtinStrategy({
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  nameRule: 'dns1123Label',
  description: 'A Namespace is a room for the names of objects; what is in it goes with it.',
  fields: {
    spec: object('What keeps the namespace.', {
      finalizers: texts('Who must let go before the namespace is removed.'),
    }),
    status: object('State of the namespace.', {
      phase: text('Active, or Terminating while it is being emptied.'),
      conditions: mergedList(condition(), 'type', { description: 'What holds up the removal.' }),
    }),
  },
  columns: [
    nameColumn,
    {
      name: 'Status',
      type: 'string',
      description: 'The state of the namespace.',
      cell: (namespace) => phaseOf(namespace),
    },
    ageColumn,
  ],
  selectableFields: { 'status.phase': phaseOf },
  defaults: withNameLabel,
  prepareCreate(namespace) {
    const spec = { finalizers: ['kubernetes'] };
    // A name that was generated is not known before.
    return withFields(withNameLabel(namespace), { spec, status: { phase: 'Active' } });
  },
  // Only /finalize takes finalizers out of the spec.
  prepareUpdate: (namespace, { old, subresource }) =>
    subresource === undefined ? withFields(namespace, { spec: old.spec }) : namespace,
  checkDelete({ metadata: { name } }) {
    if (!protectedNamespaces.includes(name)) return;
    throw forbidden(type, name, { text: 'this namespace may not be deleted' });
  },
  beginDeletion(namespace, now) {
    const status = { ...objectField(namespace, 'status'), phase: 'Terminating' };
    return withFields(withMetadata(namespace, { deletionTimestamp: toKubeTime(now) }), { status });
  },
  isFinalized(namespace) {
    const { finalizers = [] } = objectField(namespace, 'spec');
    const isEmptied = Array.isArray(finalizers) && finalizers.length === 0;
    return isEmptied && (namespace.metadata.finalizers ?? []).length === 0;
  },
});

/** KEP-2161: a label that selectors over namespaces can name one by. */
function withNameLabel(namespace: KubeObject): KubeObject {
  const { name = '', labels } = namespace.metadata;
  if (name === '') return namespace;
  return withMetadata(namespace, { labels: { ...labels, 'kubernetes.io/metadata.name': name } });
}

function phaseOf(namespace: KubeObject): string {
  return textField(objectField(namespace, 'status'), 'phase');
}
