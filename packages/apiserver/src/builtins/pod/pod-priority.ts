import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { forbidden } from '../../answer/status-texts.ts';
import { objectField, textField } from '../../object/object-form.ts';
import type { HookContext } from '../../resource/strategy.ts';
import { numberField } from '../cells.ts';
import { systemPriorities } from '../scheduling/priority-class.ts';

const pods = { group: '', plural: 'pods' };
const usual = 'PreemptLowerPriority';

/**
 * How important a new Pod is: as its class says, else as the class for all others says (the
 * admission plugin Priority).
 *
 * @throws StatusError `Forbidden` when there is no such class, or the Pod says otherwise
 */
export function findPriority(pod: KubeObject, { others }: HookContext): JsonObject {
  const spec = objectField(pod, 'spec');
  const name = textField(spec, 'priorityClassName');
  const found = name === '' ? globalDefault(others) : namedClass(name, others);
  if (name !== '' && found === undefined) {
    throw refused(pod, `no PriorityClass with name ${name} was found`);
  }
  const { priority = 0, priorityClassName, preemptionPolicy = usual } = found ?? {};
  if (typeof spec.priority === 'number' && spec.priority !== priority) {
    const text = 'the integer value of priority';
    const given = `(${spec.priority}) must not be provided in pod spec`;
    const computed = `priority admission controller computed ${String(priority)}`;
    throw refused(pod, `${text} ${given}; ${computed} from the given PriorityClass name`);
  }
  return {
    priority,
    preemptionPolicy,
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
  };
}

function namedClass(name: string, others: HookContext['others']): JsonObject | undefined {
  const system = Object.hasOwn(systemPriorities, name) ? systemPriorities[name] : undefined;
  if (system !== undefined) return { priority: system, priorityClassName: name };
  for (const one of others('scheduling.k8s.io', 'priorityclasses')) {
    if (one.metadata.name === name) return priorityOf(one);
  }
  return undefined;
}

// Should there be several, the least important of them counts.
function globalDefault(others: HookContext['others']): JsonObject | undefined {
  const candidates = [...others('scheduling.k8s.io', 'priorityclasses')]
    .filter((one) => one.globalDefault === true)
    .sort((a, b) => numberField(a, 'value') - numberField(b, 'value'));
  return candidates[0] === undefined ? undefined : priorityOf(candidates[0]);
}

function priorityOf(one: KubeObject): JsonObject {
  return {
    priority: numberField(one, 'value'),
    priorityClassName: one.metadata.name,
    preemptionPolicy: textField(one, 'preemptionPolicy') || usual,
  };
}

function refused(pod: KubeObject, text: string): Error {
  return forbidden(pods, pod.metadata.name, { text });
}
