import { type TriggerObject, triggerConditions } from '@fnlet/api';
import { type ConditionUpdate, findCondition, type KubeObject } from '@fnlet/machinery';
import type { Standing } from '../foreign-objects.ts';

/** A Trigger that does what one of Kubeless asks for, as far as the status of that depends on it. */
export type TriggerChild = KubeObject & Pick<TriggerObject, 'status'>;

/** What `Ready` says. */
export type Statement = Pick<ConditionUpdate, 'status' | 'reason' | 'message'>;

interface Translated {
  readonly kind: 'translated' | 'refused';
  readonly reasons?: readonly string[];
  readonly notices?: readonly string[];
}

/**
 * What becomes of the Triggers, or why there are none: the first thing that is wrong.
 *
 * @param opening what is told until Fnlet has looked at them
 */
export function describeTriggers(
  { translation, children, obstacle }: Standing<unknown, TriggerChild, Translated>,
  opening: string,
): Statement {
  if (obstacle !== undefined) return { status: 'False', reason: 'NameTaken', message: obstacle };
  const { reasons = [], notices = [] } = translation;
  if (translation.kind === 'refused') {
    return { status: 'False', reason: 'InvalidSpec', message: reasons.join('; ') };
  }
  const said = children.map((child) => ({ child, ...readyOf(child, opening) }));
  const worst = said.find(({ status }) => status !== 'True') ?? said[0];
  if (worst === undefined) return { status: 'Unknown', reason: 'Opening', message: opening };
  const { status, reason = '', message = '' } = worst;
  const isOne = children.length === 1;
  const whose = isOne || status === 'True' ? '' : `${worst.child.metadata.name}: `;
  const news = status === 'True' && notices.length > 0 ? `. ${notices.join('; ')}` : '';
  return { status, reason, message: `${whose}${message}${news}` };
}

function readyOf(child: TriggerChild, opening: string): Statement {
  const found = findCondition(child.status?.conditions, triggerConditions.ready);
  if (found === undefined || found.observedGeneration !== child.metadata.generation) {
    return { status: 'Unknown', reason: 'Opening', message: opening };
  }
  const { status, reason = '', message = '' } = found;
  return { status, reason, message };
}
