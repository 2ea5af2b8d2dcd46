import { type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, textField, withFields } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { immutable } from '../changes.ts';
import { fill } from '../fill.ts';
import { labelKey, qualifiedName } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { duplicate, forbidden, invalid, tooLong } from '../refusal.ts';
import { about, all, each, fields, oneOf, type Rule, required } from '../rule.ts';

/** Limits of the parameters (kubernetes, pkg/apis/storage/validation). */
const parametersMax = 512;
const parametersBytesMax = 256 * 1024;

const parameters: Rule = about((map, path) => {
  const entries = Object.entries(map);
  if (entries.length > parametersMax) return [tooLong(path, parametersMax)];
  const bytes = entries.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return [
    ...entries
      .filter(([key]) => key === '')
      .map(([key]) => invalid(path, key, 'field can not be empty.')),
    ...(bytes > parametersBytesMax ? [tooLong(path, parametersBytesMax)] : []),
  ];
});

const topologyTerm: Rule = fields({
  matchLabelExpressions: all(
    each(
      all(
        (value, path) => fields({ values: required(distinct) })(value, path),
        fields({ key: labelKey }),
      ),
    ),
    (value, path) => repeatedKeys(value, path),
  ),
});

const distinct: Rule = (values, path) =>
  (Array.isArray(values) ? values : []).flatMap((value: unknown, i, all) =>
    all.indexOf(value) < i ? [duplicate(`${path}[${i}]`, value)] : [],
  );

function repeatedKeys(value: unknown, path: string): readonly FieldError[] {
  const keys = listField({ value }, 'value').map(({ key = '' }) => key);
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [duplicate(`${path}[${i}].key`, key)] : [],
  );
}

/** Where volumes may be; no two terms say the same. */
const topologies: Rule = (value, path) => {
  const terms = listField({ value }, 'value');
  const said = terms.map(termMeaning);
  // Kubernetes compares with as many empty terms as there are terms, besides those before.
  const empty = terms.map(() => ({}));
  return terms.flatMap((term, i) => {
    const at = `${path}[${i}]`;
    const others = [...empty, ...said.slice(0, i)];
    const again = others.filter((other) => jsonEqual(other, said[i]));
    return [
      ...topologyTerm(term, at),
      ...again.map(() => duplicate(`${at}.matchLabelExpressions`, '')),
    ];
  });
};

/** The keys of a term with their values, in whichever order they stand. */
function termMeaning(term: JsonObject): JsonObject {
  const expressions = listField(term, 'matchLabelExpressions').map(({ key = '', values }) => [
    String(key),
    [...new Set(Array.isArray(values) ? values.map(String) : [])].sort(),
  ]);
  return Object.fromEntries(expressions);
}

const provisioner: Rule = (value, path) => qualifiedName(String(value).toLowerCase(), path);

function changeErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  return [
    ...['parameters', 'provisioner', 'reclaimPolicy']
      .filter((field) => !jsonEqual(next[field], old[field]))
      .map((field) => forbidden(field, `updates to ${field} are forbidden.`)),
    ...immutable('volumeBindingMode')(next, old),
  ];
}

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Whether claims that name no class get this one. */
export function isDefaultClass(storageClass: KubeObject): boolean {
  const { annotations } = storageClass.metadata;
  return defaultAnnotations.some((name) => annotations?.[name] === 'true');
}

/** storage.k8s.io/v1 StorageClass. */
export const storageClassRules: KindRules = {
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  plural: 'storageclasses',
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata, ...rest }) =>
        `${metadata.name}${isDefaultClass({ ...rest, metadata }) ? ' (default)' : ''}`,
    },
    column('Provisioner', 'Who makes the volumes.', (one) => textField(one, 'provisioner')),
    column('ReclaimPolicy', 'What happens to a released volume.', (one) =>
      textField(one, 'reclaimPolicy'),
    ),
    column('VolumeBindingMode', 'When a volume is made.', (one) =>
      textField(one, 'volumeBindingMode'),
    ),
    column(
      'AllowVolumeExpansion',
      'Whether volumes can grow.',
      (one) => one.allowVolumeExpansion === true,
    ),
    ageColumn,
  ],
  defaults: (one) =>
    withFields(one, fill(one, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })),
  validate: validation(
    fields({
      provisioner: required(provisioner),
      parameters,
      reclaimPolicy: oneOf('Delete', 'Retain'),
      volumeBindingMode: required(oneOf('Immediate', 'WaitForFirstConsumer')),
      allowedTopologies: topologies,
    }),
    changeErrors,
  ),
};
