import { type JsonObject, jsonEqual } from '@fnlet/base';
import { type FieldError, type KubeObject, type NameRule, validateName } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../answer/column.ts';
import { admitBinding } from '../auth/admit-policy.ts';
import { rbacGroup } from '../auth/policy.ts';
import { listField, objectField, textField, withFields } from '../object/object-form.ts';
import { fieldError } from '../request/request-options.ts';
import type { Strategy } from '../resource/strategy.ts';
import { type BuiltinKind, builtinStrategy } from './builtin-strategy.ts';

const roleColumn: Column = {
  name: 'Role',
  type: 'string',
  description: 'The role that is given.',
  cell(binding) {
    const role = objectField(binding, 'roleRef');
    return `${textField(role, 'kind')}/${textField(role, 'name')}`;
  },
};

const binding: Pick<BuiltinKind, 'group' | 'nameRule' | 'columns' | 'defaults' | 'admit'> = {
  group: rbacGroup,
  nameRule: 'pathSegment',
  columns: [
    nameColumn,
    roleColumn,
    ageColumn,
    subjectsColumn('Users', 'User'),
    subjectsColumn('Groups', 'Group'),
    subjectsColumn('ServiceAccounts', 'ServiceAccount'),
  ],
  defaults: withGroups,
  admit: admitBinding,
};

export const roleBindingStrategy: Strategy = builtinStrategy({
  ...binding,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  createOnUpdate: true,
  description: 'A RoleBinding gives a role to subjects, in its namespace.',
  validate: (object, old) => bindingErrors(object, old, ['Role', 'ClusterRole']),
});

export const clusterRoleBindingStrategy: Strategy = builtinStrategy({
  ...binding,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  createOnUpdate: true,
  description: 'A ClusterRoleBinding gives a ClusterRole to subjects, everywhere.',
  validate: (object, old) => bindingErrors(object, old, ['ClusterRole']),
});

function subjectsColumn(name: string, kind: string): Column {
  return {
    name,
    type: 'string',
    description: `Subjects of the kind ${kind}.`,
    priority: 1,
    cell: (object) =>
      listField(object, 'subjects')
        .filter((subject) => textField(subject, 'kind') === kind)
        .map((subject) => {
          const prefix = kind === 'ServiceAccount' ? `${textField(subject, 'namespace')}/` : '';
          return `${prefix}${textField(subject, 'name')}`;
        })
        .join(', '),
  };
}

function withGroups(object: KubeObject): KubeObject {
  const role = objectField(object, 'roleRef');
  const roleRef = textField(role, 'apiGroup') === '' ? { ...role, apiGroup: rbacGroup } : role;
  if (!Array.isArray(object.subjects)) return withFields(object, { roleRef });
  const subjects = listField(object, 'subjects').map((subject) => {
    const needsGroup = ['User', 'Group'].includes(textField(subject, 'kind'));
    const hasGroup = textField(subject, 'apiGroup') !== '';
    return needsGroup && !hasGroup ? { ...subject, apiGroup: rbacGroup } : subject;
  });
  return withFields(object, { roleRef, subjects });
}

// pkg/apis/rbac/validation
function bindingErrors(
  object: KubeObject,
  old: KubeObject | undefined,
  kinds: readonly string[],
): readonly FieldError[] {
  const role = objectField(object, 'roleRef');
  const isNamespaced = kinds.includes('Role');
  return [
    ...unsupported('roleRef.apiGroup', textField(role, 'apiGroup'), [rbacGroup]),
    ...unsupported('roleRef.kind', textField(role, 'kind'), kinds),
    ...nameErrors('roleRef.name', textField(role, 'name'), 'pathSegment'),
    ...listField(object, 'subjects').flatMap((subject, i) =>
      subjectErrors(subject, `subjects[${i}]`, isNamespaced),
    ),
    ...(old === undefined ? [] : changedRole(role, objectField(old, 'roleRef'))),
  ];
}

function unsupported(path: string, value: string, known: readonly string[]): readonly FieldError[] {
  if (known.includes(value)) return [];
  const supported = known.map((item) => JSON.stringify(item)).join(', ');
  const text = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
  return [fieldError('FieldValueNotSupported', path, text)];
}

function nameErrors(path: string, name: string, rule: NameRule): readonly FieldError[] {
  if (name === '') return [fieldError('FieldValueRequired', path, 'Required value')];
  const problem = validateName(rule, name);
  if (problem === undefined) return [];
  const text = `Invalid value: ${JSON.stringify(name)}: ${problem}`;
  return [fieldError('FieldValueInvalid', path, text)];
}

function subjectErrors(
  subject: JsonObject,
  path: string,
  isNamespaced: boolean,
): readonly FieldError[] {
  const kind = textField(subject, 'kind');
  const name = textField(subject, 'name');
  const group = textField(subject, 'apiGroup');
  if (kind === 'ServiceAccount') {
    const isPlaceless = !isNamespaced && textField(subject, 'namespace') === '';
    return [
      ...nameErrors(`${path}.name`, name, 'dns1123Subdomain'),
      ...unsupported(`${path}.apiGroup`, group, ['']),
      ...(isPlaceless ? nameErrors(`${path}.namespace`, '', 'pathSegment') : []),
    ];
  }
  const nameless = name === '' ? nameErrors(`${path}.name`, '', 'pathSegment') : [];
  if (kind !== 'User' && kind !== 'Group') {
    const known = ['ServiceAccount', 'User', 'Group'];
    return [...nameless, ...unsupported(`${path}.kind`, kind, known)];
  }
  return [...nameless, ...unsupported(`${path}.apiGroup`, group, [rbacGroup])];
}

function changedRole(role: JsonObject, old: JsonObject): readonly FieldError[] {
  if (jsonEqual(role, old)) return [];
  // The names of the fields are those of Go: the value has no JSON form of its own.
  const shown = { APIGroup: role.apiGroup, Kind: role.kind, Name: role.name };
  const text = `Invalid value: ${JSON.stringify(shown)}: cannot change roleRef`;
  return [fieldError('FieldValueInvalid', 'roleRef', text)];
}
