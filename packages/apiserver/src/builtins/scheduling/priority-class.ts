import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { forbidden as refuse } from '../../answer/status-texts.ts';
import { objectField, textField, withFields } from '../../object/object-form.ts';
import type { HookContext } from '../../resource/strategy.ts';
import { column, countColumn, flagColumn, numberField } from '../cells.ts';
import { immutable } from '../changes.ts';
import { fill } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { forbidden } from '../refusal.ts';
import { about, all, fields, oneOf, type Rule } from '../rule.ts';

/** Higher priorities are for the cluster itself. */
const userPriorityMax = 1_000_000_000;
const systemPrefix = 'system-';

/** The classes that every cluster has. */
export const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2 * userPriorityMax,
  'system-node-critical': 2 * userPriorityMax + 1000,
};

const reserved: Rule = about((one) => {
  const name = textField(objectField(one, 'metadata'), 'name');
  const priority = numberField(one, 'value');
  if (name.startsWith(systemPrefix)) {
    if (systemPriorities[name] === priority) return [];
    const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only`;
    const error = `${name} is not a known system priority class`;
    return [forbidden('metadata.name', `${why}. error: ${error}`)];
  }
  if (priority <= userPriorityMax) return [];
  const why = `maximum allowed value of a user defined priority is ${userPriorityMax}`;
  return [forbidden('value', why)];
});

function valueErrors(next: KubeObject, old: KubeObject): readonly FieldError[] {
  if ((next.value ?? 0) === (old.value ?? 0)) return [];
  return [forbidden('value', 'may not be changed in an update.')];
}

const type = { group: 'scheduling.k8s.io', plural: 'priorityclasses' };

// Only a new class is refused: of several defaults the least important counts.
function refuseSecondDefault(one: KubeObject, { siblings }: HookContext): KubeObject {
  if (one.globalDefault !== true) return one;
  const other = [...siblings()].find(({ globalDefault }) => globalDefault === true);
  if (other === undefined) return one;
  const text = `PriorityClass ${other.metadata.name} is already marked as default`;
  throw refuse(type, one.metadata.name, { text: `${text}. Only one default can exist` });
}

/** scheduling.k8s.io/v1 PriorityClass. */
export const priorityClassRules: KindRules = {
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  columns: [
    nameColumn,
    countColumn('Value', 'The priority itself.', (one) => one.value ?? 0),
    flagColumn(
      'Global-Default',
      'Whether it is for all others.',
      (one) => one.globalDefault === true,
    ),
    ageColumn,
    column('PreemptionPolicy', 'Whether others give way.', (one) =>
      textField(one, 'preemptionPolicy'),
    ),
  ],
  defaults: (one) =>
    withFields(one, fill(one, { value: 0, preemptionPolicy: 'PreemptLowerPriority' })),
  prepareCreate: refuseSecondDefault,
  validate: validation(
    all(reserved, fields({ preemptionPolicy: oneOf('PreemptLowerPriority', 'Never') })),
    (next, old) => [...valueErrors(next, old), ...immutable('preemptionPolicy')(next, old)],
  ),
};
