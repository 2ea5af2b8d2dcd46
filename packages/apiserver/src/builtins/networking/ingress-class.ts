import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { column, none, specText } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { change, changeSpec, fill } from '../fill.ts';
import { domainPrefixedPath, named } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { forbidden, missing, tooLong } from '../refusal.ts';
import {
  about,
  all,
  child,
  fields,
  isUnset,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';
import { typedReference } from './ingress.ts';

const controllerBytesMax = 250;

const controller: Rule = all(domainPrefixedPath, (value, path) =>
  String(value ?? '').length > controllerBytesMax ? [tooLong(path, controllerBytesMax)] : [],
);

/** Parameters are for the whole cluster, or for one namespace that is then named. */
const scoped: Rule = about(({ scope, namespace }, path) => {
  const at = child(path, 'namespace');
  if (scope === 'Namespace' && isUnset(namespace)) {
    return [missing(at, "`parameters.scope` is set to 'Namespace'")];
  }
  if (scope === 'Namespace') return named('dns1123Label')(namespace, at);
  if (scope === 'Cluster' && !isUnset(namespace)) {
    return [forbidden(at, "`parameters.scope` is set to 'Cluster'")];
  }
  return [];
});

const parameters: Rule = whenSet(
  all(typedReference, fields({ scope: required(oneOf('Cluster', 'Namespace')) }), scoped),
);

function parametersCell(ingressClass: KubeObject): string {
  const reference = objectField(objectField(ingressClass, 'spec'), 'parameters');
  const kind = textField(reference, 'kind');
  if (kind === '') return none;
  const group = textField(reference, 'apiGroup');
  return `${group === '' ? kind : `${kind}.${group}`}/${textField(reference, 'name')}`;
}

/** networking.k8s.io/v1 IngressClass. */
export const ingressClassRules: KindRules = {
  group: 'networking.k8s.io',
  kind: 'IngressClass',
  plural: 'ingressclasses',
  columns: [
    nameColumn,
    column('Controller', 'Who serves Ingresses of this class.', specText('controller')),
    column('Parameters', 'More about the class.', parametersCell),
    ageColumn,
  ],
  defaults: (ingressClass) =>
    changeSpec(ingressClass, (spec) =>
      change(spec, 'parameters', (reference) => fill(reference, { scope: 'Cluster' })),
    ),
  validate: validation(
    fields({ spec: fields({ controller: required(controller), parameters }) }),
    immutableSpec('controller'),
  ),
};
