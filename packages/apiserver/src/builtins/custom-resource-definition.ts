import { isJsonObject } from '@fnlet/base';
import {
  type Condition,
  type CustomResourceDefinition,
  type CustomResourceDefinitionSpec,
  type KubeObject,
  mergeConditions,
  toKubeTime,
} from '@fnlet/machinery';
import { nameColumn } from '../answer/column.ts';
import {
  listField,
  objectField,
  textField,
  withFields,
  withMetadata,
} from '../object/object-form.ts';
import { mergedList } from '../patch/patch-annotations.ts';
import type { Strategy } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { crdErrors } from './crd-validation.ts';
import { anything, condition, flag, integer, list, object, text, texts } from './schema-words.ts';

/** Keeps a definition until all its objects are gone. */
export const crdFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

const names = object('Names of the kind.', {
  plural: text('Lower-case plural, the segment of the URL.'),
  singular: text('Lower-case singular.'),
  kind: text('Name of the kind in CamelCase.'),
  listKind: text('Name of the kind of its lists.'),
  shortNames: texts('Short names for kubectl.'),
  categories: texts('Groups of kinds that it belongs to, such as all.'),
});

const column = object('A column of kubectl get.', {
  name: text('Heading of the column.'),
  type: text('boolean, date, integer, number or string.'),
  jsonPath: text('Where the value stands in the object.'),
  description: text('What the column shows.'),
  format: text('How the value is written.'),
  priority: integer('0 is always shown, larger numbers in wide output.'),
});

const version = object('A version of the kind.', {
  name: text('Name of the version, such as v1alpha1.'),
  served: flag('Whether it is served.'),
  storage: flag('Whether objects are kept in it; true for exactly one.'),
  deprecated: flag('Whether its use warns.'),
  deprecationWarning: text('What the warning says.'),
  schema: object('What objects look like.', {
    openAPIV3Schema: anything('A structural schema in OpenAPI v3.'),
  }),
  subresources: object('What is written apart.', {
    status: anything('The status is.'),
    scale: object('Replicas are.', {
      specReplicasPath: text('Where the wanted replicas stand.'),
      statusReplicasPath: text('Where the present replicas stand.'),
      labelSelectorPath: text('Where the selector stands.'),
    }),
  }),
  additionalPrinterColumns: list('Columns of kubectl get.', column),
  selectableFields: list(
    'Fields that a field selector may name.',
    object('A field.', { jsonPath: text('Where it stands.') }),
  ),
});

export const customResourceDefinitionStrategy: Strategy = builtinStrategy({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  hasGeneration: true,
  description: 'A CustomResourceDefinition adds a kind to the API.',
  fields: {
    spec: object('The kind.', {
      group: text('API group of the kind.'),
      names,
      scope: text('Namespaced or Cluster.'),
      versions: list('Versions of the kind.', version),
      conversion: object('How versions become each other.', {
        strategy: text('None: only the apiVersion changes.'),
        webhook: anything('Who converts.'),
      }),
      preserveUnknownFields: flag('Must be false.'),
    }),
    status: object('State of the definition.', {
      // Whoever writes a status may leave out anything of a condition.
      conditions: mergedList({ ...condition(), required: [] }, 'type', {
        description: 'Its conditions.',
        nullable: true,
      }),
      acceptedNames: names,
      storedVersions: texts('Versions that objects were ever kept in.'),
    }),
  },
  columns: [
    nameColumn,
    {
      name: 'Created At',
      type: 'date',
      description: 'When the definition was created.',
      cell: ({ metadata }) => metadata.creationTimestamp,
    },
  ],
  defaults: withDefaults,
  prepareCreate: (definition) =>
    withFields(definition, {
      status: {
        conditions: null,
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storageVersions(definition),
      },
    }),
  prepareUpdate(definition) {
    const status = objectField(definition, 'status');
    const before = Array.isArray(status.storedVersions) ? status.storedVersions : [];
    const storedVersions = [...new Set([...before, ...storageVersions(definition)])];
    return withFields(definition, { status: { ...status, storedVersions } });
  },
  validate: crdErrors,
  beginDeletion(definition, now) {
    const finalizers = [...new Set([...(definition.metadata.finalizers ?? []), crdFinalizer])];
    const deletionTimestamp = toKubeTime(now);
    const marked = withMetadata(definition, { deletionTimestamp, finalizers });
    return withConditions(marked, now, [
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message:
          'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      },
    ]);
  },
});

/** `definition` with these conditions merged into its status. */
export function withConditions(
  definition: KubeObject,
  now: number,
  updates: readonly Omit<Condition, 'lastTransitionTime'>[],
): KubeObject {
  const status = objectField(definition, 'status');
  const items: readonly unknown[] = listField(status, 'conditions');
  const current = items.filter(isCondition);
  const conditions = mergeConditions(current, updates, toKubeTime(now));
  return withFields(definition, { status: { ...status, conditions } });
}

function isCondition(value: unknown): value is Condition {
  return isJsonObject(value) && typeof value.type === 'string' && typeof value.status === 'string';
}

function withDefaults(definition: KubeObject): KubeObject {
  const spec = objectField(definition, 'spec');
  const given = objectField(spec, 'names');
  const kind = textField(given, 'kind');
  const filled = {
    ...given,
    singular: textField(given, 'singular') || kind.toLowerCase(),
    listKind: textField(given, 'listKind') || `${kind}List`,
  };
  const { conversion = { strategy: 'None' } } = spec;
  return withFields(definition, { spec: { ...spec, names: filled, conversion } });
}

function storageVersions(definition: KubeObject): readonly string[] {
  return listField(objectField(definition, 'spec'), 'versions')
    .filter(({ storage }) => storage === true)
    .map((item) => textField(item, 'name'));
}

/** Whether the object, which has passed validation, can be used as a definition. */
export function isDefinition(object: KubeObject): object is CustomResourceDefinition {
  return object.kind === 'CustomResourceDefinition' && isSpec(object.spec);
}

function isSpec(value: unknown): value is CustomResourceDefinitionSpec {
  return isJsonObject(value) && isJsonObject(value.names) && Array.isArray(value.versions);
}
