import { ageColumn, nameColumn } from '../../answer/column.ts';
import { textField } from '../../object/object-form.ts';
import { column } from '../cells.ts';
import { immutable } from '../changes.ts';
import { named } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { fields, required } from '../rule.ts';

/** node.k8s.io/v1 RuntimeClass. */
export const runtimeClassRules: KindRules = {
  group: 'node.k8s.io',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  columns: [
    nameColumn,
    column('Handler', 'What runs the containers.', (one) => textField(one, 'handler')),
    ageColumn,
  ],
  validate: validation(fields({ handler: required(named('dns1123Label')) }), immutable('handler')),
};
